// How test_quiz_question.py changes a question, or what is stored of it; it takes a function from here by its name.

export const askForTwoNumbers = (quiz) =>
  quiz.querySelectorAll(".verdicts > li").forEach((li, i) => li.dataset.value = JSON.stringify(i ? [2, 5] : [5, 2]));
export const makeTwoRight = (quiz) => {
  quiz.querySelectorAll("input").forEach((input) => Object.assign(input, { type: "checkbox", checked: false }));
  quiz.querySelectorAll(".verdicts > li").forEach((li, i) => li.toggleAttribute("data-right", i < 2));
};
export const editTheQuestion = () => {
  const key = Object.keys(localStorage).find((name) => name.endsWith(".answers"));
  localStorage.setItem(key, localStorage.getItem(key).replace(/[0-9a-f]{12}/g, "another"));
};
