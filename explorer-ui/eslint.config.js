import js from "@eslint/js";
import tseslint from "typescript-eslint";

export default tseslint.config(
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked,
  { languageOptions: { parserOptions: { project: "./tsconfig.json" } } },
  {
    rules: {
      "no-restricted-properties": [
        "error",
        { property: "innerHTML", message: "Text from data may only become a text node." },
        { property: "outerHTML", message: "Text from data may only become a text node." },
        { property: "insertAdjacentHTML", message: "Text from data may only become a text node." },
      ],
      "no-restricted-syntax": [
        "error",
        { selector: "JSXAttribute[name.name='dangerouslySetInnerHTML']", message: "Text from data may only become a text node." },
        { selector: "JSXAttribute[name.name='style'] > Literal", message: "The Content-Security-Policy forbids style attributes; give an object, which Preact sets by the CSSOM." },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/no-confusing-void-expression": ["error", { ignoreArrowShorthand: true }],
    },
  },
  { ignores: ["node_modules", "vite.config.js", "eslint.config.js", "stamp.js"] },
);
