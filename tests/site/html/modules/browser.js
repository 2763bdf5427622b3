let ended;
const said = [], log = (...words) => said.push(words.join(" "));
const URL = function (path) {  // what is imported late stands below the root
  this.pathname = path.replace(/^[.]/, "");
};
