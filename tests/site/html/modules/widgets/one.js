import { word } from "../lib/base.js";
const own = "one";
export class Widget {
  says() {
    return [own, word, "</script>"].join();
  }
}
