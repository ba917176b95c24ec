/**
 * Renders the documentation of rules: a page for each rule, and an index. `scripts/lint.ts` writes the files to
 * `docs/lint`.
 */
import type { Rule } from "#kit/lint/rules/Rule"
import { rules } from "#kit/lint/Rules"
import { steps } from "#kit/lint/Steps"

const json = (text: string): string => `\`\`\`json\n${text}\n\`\`\``

/**
 * Renders the page of a rule: its requirement, the reason, a bad and a good example, and how to configure and suppress
 * it.
 */
export const page = (rule: Rule): string => {
  const { category, example, id, isFixable, options, severity, step, strict, title, why } = rule
  const optioned = Object.entries(options)
  const configured = optioned.length === 0 ? '"off"' : JSON.stringify({ level: severity, ...options })
  const optionLines = optioned.map(([name, value]) => `- \`${name}\`: a whole number. Default: ${value}.`)
  return [
    `# ${id}`,
    `**${title}**`,
    `Severity: ${severity}${severity === "error" ? "" : " (error in the preset `strict`)"} · category: ${category} · step ${step} of a [review](../linting.md#strict)${isFixable ? " · `--fix` corrects it if that is safe" : ""}`,
    why,
    "## Bad",
    ...(example.options === undefined ? [] : [`With ${shownOptions(example.options)}:`]),
    json(example.bad),
    "## Good",
    json(example.good),
    ...(strict === undefined
      ? []
      : [
          "## Strict",
          `In the preset \`strict\`, ${strict.title.charAt(0).toLowerCase()}${strict.title.slice(1)}`,
          "Bad:",
          json(strict.bad),
          "Good:",
          json(strict.good)
        ]),
    "## Configure",
    `Set the rule's level (\`off\`, \`info\`, \`warning\` or \`error\`)${optioned.length === 0 ? "" : ", or an object with the level and options,"} in \`toolguard.lint.json\`, or under \`toolguard.lint\` in \`package.json\`:`,
    json(`{ "rules": { "${id}": ${spaced(configured)} } }`),
    ...(optionLines.length === 0 ? [] : [optionLines.join("\n")]),
    "## Suppress",
    "To suppress the rule in a JSON list of tools, add this member to a tool, or to a schema inside the tool:",
    json(`"x-toolguard-ignore": { "${id}": "Why this is acceptable." }`),
    `On a guarded tool, annotate the parameters, or one parameter, with \`lintIgnore({ "${id}": "Why this is acceptable." })\`. For a server that you do not maintain, suppress the rule in the configuration:`,
    json(`{ "ignore": [{ "tool": "legacy_*", "rules": ["${id}"], "reason": "Why this is acceptable." }] }`)
  ]
    .join("\n\n")
    .concat("\n")
}

const spaced = (json: string): string => json.replaceAll(/([{,:])(?=\S)/gu, "$1 ").replaceAll("}", " }")

const shownOptions = (options: Readonly<Record<string, number>>): string =>
  Object.entries(options)
    .map(([name, value]) => `\`"${name}": ${value}\``)
    .join(", ")

/** Renders the index of all rules, with links to their pages. */
export const index = (): string =>
  [
    "# Lint rules",
    "This page lists the rules that `toolguard lint FILES…` checks. `toolguard lint --explain RULE` shows the page of a rule in the terminal. The [verdicts](verdicts.md) show how often the rules are right.",
    "In the preset `strict`, every rule is an error, and the rules with an entry in the last column also check that requirement.",
    [
      "| rule | severity | category | requirement | in `strict` |",
      "| --- | --- | --- | --- | --- |",
      ...rules.map(
        ({ category, id, severity, strict, title }) =>
          `| [${id}](${id}.md) | ${severity} | ${category} | ${title} | ${strict?.title ?? ""} |`
      )
    ].join("\n"),
    "The configuration is the nearest `toolguard.lint.json`, or `toolguard.lint` in `package.json`, from the working directory upwards. Its schema is [config.schema.json](config.schema.json).",
    'Each suppression needs a reason. In a JSON list of tools, write `x-toolguard-ignore` on a tool, on a schema inside the tool, or on the object that contains the list. In the list of an MCP server, `_meta["toolguard/ignore"]` on a tool works too. Providers may refuse unknown fields, so if the list is sent to a provider unchanged, suppress rules in the configuration instead.'
  ]
    .join("\n\n")
    .concat("\n")

/** Renders the table of the steps of a review, for `docs/linting.md`. */
export const stepTable = (): string =>
  [
    "| step | what a review demands | rules |",
    "| --- | --- | --- |",
    ...steps.map(({ rules, title }, index) => {
      const links = rules.map((id) => `[${id}](lint/${id}.md)`).join(", ")
      return `| ${index + 1} | ${title} | ${links === "" ? "[`diff --skills --strict`](diff.md)" : links} |`
    })
  ].join("\n")

/** Renders the list of the steps of a review, for the skill `tool-use-schema-review`. */
export const stepList = (): string =>
  steps
    .map(({ rules, title }, index) => {
      const checks =
        rules.length === 0
          ? "Command: `toolguard diff --skills GLOB --strict`."
          : `Rules: ${rules.map((id) => `\`${id}\``).join(", ")}.`
      return `${index + 1}. ${title} ${checks}`
    })
    .join("\n")
