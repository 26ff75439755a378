import { render } from "preact";
import { App } from "./app";
import { SourceContext } from "./lib/hooks";
import { openSource } from "./lib/source";
import "./style.css";

const place = document.getElementById("app");
if (place !== null) {
  place.replaceChildren();
  render(
    <SourceContext.Provider value={openSource()}>
      <App />
    </SourceContext.Provider>,
    place,
  );
}
