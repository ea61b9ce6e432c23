import { render } from "preact";

const root = document.getElementById("page");
if (root !== null) render(<p>Loading.</p>, root);
