/** The page of a rule in the documentation, and the list of all pages. `scripts/lint.ts` writes them; a test says when it is due. */
import type { Rule } from "#kit/lint/rules/Rule"
import { rules } from "#kit/lint/Rules"

const json = (text: string): string => `\`\`\`json\n${text}\n\`\`\``

/** One rule: what it asks, why, what breaks it and what does not, and how it is configured and suppressed. */
export const page = (rule: Rule): string => {
  const { category, example, id, isFixable, options, severity, title, why } = rule
  const optioned = Object.entries(options)
  const configured = optioned.length === 0 ? '"off"' : JSON.stringify({ level: severity, ...options })
  const optionLines = optioned.map(([name, value]) => `- \`${name}\`: a whole number. Default: ${value}.`)
  return [
    `# ${id}`,
    `**${title}**`,
    `Severity: ${severity} · category: ${category}${isFixable ? " · `--fix` mends it where that is safe" : ""}`,
    why,
    "## Bad",
    ...(example.options === undefined ? [] : [`With ${shownOptions(example.options)}:`]),
    json(example.bad),
    "## Good",
    json(example.good),
    "## Configure",
    `In \`toolguard.lint.json\`, or under \`toolguard.lint\` in \`package.json\`: a level (\`off\`, \`info\`, \`warning\`, \`error\`)${optioned.length === 0 ? "" : ", or an object with options"}.`,
    json(`{ "rules": { "${id}": ${spaced(configured)} } }`),
    ...(optionLines.length === 0 ? [] : [optionLines.join("\n")]),
    "## Suppress",
    "With a reason, in the list, on a tool or on a schema inside of it:",
    json(`"x-toolguard-ignore": { "${id}": "Why it is right here." }`),
    `On a guarded tool, at its parameters or at one of them: \`lintIgnore({ "${id}": "Why it is right here." })\`. Of a server that is not yours, in the configuration:`,
    json(`{ "ignore": [{ "tool": "legacy_*", "rules": ["${id}"], "reason": "Why it is right here." }] }`)
  ]
    .join("\n\n")
    .concat("\n")
}

const spaced = (json: string): string => json.replaceAll(/([{,:])(?=\S)/gu, "$1 ").replaceAll("}", " }")

const shownOptions = (options: Readonly<Record<string, number>>): string =>
  Object.entries(options)
    .map(([name, value]) => `\`"${name}": ${value}\``)
    .join(", ")

/** All rules, with links to their pages. */
export const index = (): string =>
  [
    "# Lint rules",
    "`toolguard lint FILES…` judges the tools that a model is given by these rules. `toolguard lint --explain RULE` shows a page in the terminal. How often they are right: [verdicts](verdicts.md).",
    [
      "| rule | severity | category | asks |",
      "| --- | --- | --- | --- |",
      ...rules.map(
        ({ category, id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${category} | ${title} |`
      )
    ].join("\n"),
    "The configuration's schema: [config.schema.json](config.schema.json). It is the nearest `toolguard.lint.json`, or `toolguard.lint` in `package.json`, from the folder of the command upwards.",
    'Suppressions have a reason. In a list: `x-toolguard-ignore` on a tool, on a schema inside of it, or on the object around the list; of an MCP server also `_meta["toolguard/ignore"]` of a tool. Providers may refuse fields that they do not know: where the list is sent as it is, suppress in the configuration.'
  ]
    .join("\n\n")
    .concat("\n")
