/** The page of a rule in the documentation, and the index of all pages. `scripts/lint.ts` writes them; a test compares them. */
import type { Rule } from "#kit/lint/rules/Rule"
import { rules } from "#kit/lint/Rules"

const json = (text: string): string => `\`\`\`json\n${text}\n\`\`\``

/** The page of a rule: its requirement, the reason, a bad and a good example, and how to configure and suppress it. */
export const page = (rule: Rule): string => {
  const { category, example, id, isFixable, options, severity, title, why } = rule
  const optioned = Object.entries(options)
  const configured = optioned.length === 0 ? '"off"' : JSON.stringify({ level: severity, ...options })
  const optionLines = optioned.map(([name, value]) => `- \`${name}\`: a whole number. Default: ${value}.`)
  return [
    `# ${id}`,
    `**${title}**`,
    `Severity: ${severity} · category: ${category}${isFixable ? " · `--fix` corrects it if that is safe" : ""}`,
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
    "In the list, on a tool or on a schema inside it, with a reason:",
    json(`"x-toolguard-ignore": { "${id}": "The reason why this is intended." }`),
    `On a guarded tool, on its parameters or on one of them: \`lintIgnore({ "${id}": "The reason why this is intended." })\`. For a server of another project, in the configuration:`,
    json(`{ "ignore": [{ "tool": "legacy_*", "rules": ["${id}"], "reason": "The reason why this is intended." }] }`)
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
    "`toolguard lint FILES…` checks the tools that a model receives by these rules. `toolguard lint --explain RULE` shows a page in the terminal. How often the rules are right: [verdicts](verdicts.md).",
    [
      "| rule | severity | category | requirement |",
      "| --- | --- | --- | --- |",
      ...rules.map(
        ({ category, id, severity, title }) => `| [${id}](${id}.md) | ${severity} | ${category} | ${title} |`
      )
    ].join("\n"),
    "The configuration is the nearest `toolguard.lint.json`, or `toolguard.lint` in `package.json`, from the working directory upwards. Its schema: [config.schema.json](config.schema.json).",
    'Suppressions have a reason. In a list: `x-toolguard-ignore` on a tool, on a schema inside it, or on the object that contains the list; in the list of an MCP server also `_meta["toolguard/ignore"]` on a tool. Providers may refuse unknown fields: if the list is sent unchanged, suppress in the configuration.'
  ]
    .join("\n\n")
    .concat("\n")
