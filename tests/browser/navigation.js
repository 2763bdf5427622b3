// What test_navigation.py asks of a page; the tests take a function from here by its name (conftest.py).

export const inSight = () => {
  const { top } = document.querySelector("#lab").getBoundingClientRect();
  return 40 <= top && top < 300;
};
export const linkedStates = () => [...document.links].map(({ href }) => href).filter((href) => href.includes("#~"));
export const fields = (tag) =>
  [...document.querySelector(tag).querySelectorAll("input")]
    .map((field) => field.matches("[type=radio], [type=checkbox]") ? field.checked : field.value);
