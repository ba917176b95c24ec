/** Reports a parameter that is executed as code. */
import { type Field } from "#kit/lint/reading/Field"
import { overField } from "./Rule.ts"
import type { Subject } from "#kit/lint/reading/Subject"
import { docsOf } from "#kit/lint/reading/ParameterDocs"
import { withoutProhibitions } from "#kit/lint/reading/Prohibitions"
import { wordsOf } from "#kit/lint/reading/EnglishWords"

export const executedCode = overField(
  {
    id: "executed-code",
    category: "safety",
    step: 13,
    severity: "warning",
    title: "No parameter is executed as code, SQL or shell.",
    why: "Everything that the model reads, such as a web page, an email or a file, can influence the code that the tool runs. The code can do whatever the tool's process may do, and no schema, approval or idempotency key limits it. A prohibition (`do not concatenate SQL`) is not taken as evidence that the parameter is executed. Offer the needed actions as tools. If the tool is meant to be a sandbox, suppress this finding with that reason.",
    example: {
      bad: `{
  "name": "run_query",
  "description": "Runs a query on the orders database.",
  "parameters": {
    "type": "object",
    "properties": { "sql": { "type": "string", "description": "SQL query to execute." } }
  }
}`,
      good: `{
  "name": "count_orders",
  "description": "Counts the orders of a customer.",
  "parameters": { "type": "object", "properties": { "customer_id": { "type": "string" } } }
}`
    }
  },
  (field, subject) => {
    if (field.role !== "property" || !field.shapes.some(({ schema, type }) => type === "string" && !("enum" in schema)))
      return undefined
    const language = languageOf(field, subject)
    return language === undefined
      ? undefined
      : `\`${field.path}\` is executed as ${language}; offer the needed actions as separate tools.`
  }
)

const runs =
  /\b(?:execut\w*|run|runs|running|eval|evals|evaluat\w*|interpret(?:s|ed)?|invoke[sd]?|launch\w*|spawn\w*)\b|执行|运行/iu
const shell =
  /\b(?:shell|terminal|bash|powershell|zsh|command[- ]line|cmd(?:\.exe)?|subprocess|console|system commands?|process)\b|命令行|终端|系统命令/iu
const program =
  /\b(?:python|javascript|typescript|java ?script|js|node(?:\.js)?|ruby|lua|php|golang|rust|java|c\+\+|r code|code|script|snippet|sandbox|interpreter|applescript)\b|代码|脚本/iu
const sql = /\b(?:sql|sqlite|postgres(?:ql)?|mysql|database|cypher|sparql|kql|bigquery|duckdb|snowflake)\b|数据库/iu
/** Matches names and descriptions of codes that are labels and not programs. */
const label =
  /\b(?:country|currency|postal|post|zip|area|airport|iata|icao|iso|language|locale|promo|promotion|discount|coupon|status|error|stock|ticker|product|item|bar|qr|region|state|city|station|airline|verification|access|auth\w*|dial\w*|unit|color|colour|hex|department|course|plu|sku|ean|upc|swift|sort|bank|invite|invitation|referral|security|pin|otp|two[- ]letter|three[- ]letter|\d[- ](?:letter|digit))\b/iu

/** Returns the language in which a parameter is executed, or `undefined` if nothing shows that it is executed. */
const languageOf = (field: Field, subject: Subject): string | undefined => {
  const words = wordsOf(field.name)
  const last = words.at(-1) ?? ""
  const docs = withoutProhibitions(docsOf(field, subject))
  const tool = `${subject.words.join(" ")}. ${withoutProhibitions(subject.tool.description)}`
  const isRun = runs.test(docs) || runs.test(tool)
  if (
    last === "sql" ||
    (/^(?:query|statement|queries)$/u.test(last) &&
      (words.includes("sql") ||
        (/\b(?:sql|cypher|sparql|kql)\b/iu.test(`${docs} ${tool}`) &&
          sql.test(docs + tool) &&
          (isRun || sql.test(docs)))))
  ) {
    return /\bcypher\b/iu.test(docs + tool) ? "Cypher" : "SQL"
  }
  if (/^(?:command|cmd|commands|commandline)$/u.test(last) && (shell.test(docs) || shell.test(tool)) && isRun)
    return "a shell command"
  const isCode = /^(?:code|script|javascript|python|snippet|js|expression|program|applescript)$/u.test(last)
  if (!isCode || label.test(words.join(" ")) || label.test(docs)) return undefined
  const isProgram =
    last !== "expression" ? program.test(docs) || program.test(tool) : /\b(?:javascript|python|js)\b/iu.test(docs)
  return isRun && isProgram ? "code" : undefined
}
