/**
 * Interprets the answers of tools that run commands, such as shells and interpreters.
 *
 * A tool that runs commands succeeded if the command ran. If an answer states an exit code, the command ran: a grep
 * without matches, a failing test run and a compiler's errors are results, whatever the exit code or the error flag.
 * Failures of the tool itself (the command timed out, the program does not exist) are recognised by the form of the
 * text.
 */
import { isJsonObject } from "effect-toolguard/internal/domain/json/JsonObject"

const shells =
  /(?:^|[_.-])(?:bash|sh|zsh|shell|terminal|console|powershell|cmd|exec|execute_?(?:command|bash|shell|code|python|script|ipython_?cell)|run_?(?:command|bash|shell|code|python|script|terminal_?cmd|tests?|in_terminal)|start_process|interact_with_process|read_(?:process_)?output|python|ipython|repl|code_?interpreter)(?:$|[_.-])/i

const commandFields = ["command", "cmd", "commands", "script", "code"]

/** True if the arguments, or the arguments for another tool inside them, name a shell or contain a command line. */
const holdsCommand = (args: unknown, depth = 0): boolean => {
  if (!isJsonObject(args) || depth > 2) return false
  const named = args["tool_name"] ?? args["tool"] ?? args["name"]
  if (typeof named === "string" && shells.test(named)) return true
  if (commandFields.some((field) => typeof args[field] === "string" && /\s/.test(String(args[field]).trim())))
    return true
  return ["params", "arguments", "args", "input", "parameters"].some((field) => holdsCommand(args[field], depth + 1))
}

/** True if a call ran a command. */
export const isCommand = (tool: string, args: unknown): boolean => shells.test(tool) || holdsCommand(args)

/** How a command ended, if the answer says so. */
type CommandEnd =
  | { readonly _tag: "Exited"; readonly code: number }
  | { readonly _tag: "TimedOut" }
  | { readonly _tag: "Missing" }

const exited =
  /(?:^|\n|\[|\()[^\n]{0,60}\bexit(?:ed)?(?: with)?(?: \w{1,10})?[ _]?(?:code|status)?[ :=]{1,3}(\d{1,3})\b[^\n]{0,40}$|^exit code:? (\d{1,3})\b|\bexit status (\d{1,3})\s*$/i

const timedOut =
  /(?:^|\n|\[)\s*(?:error: )?(?:the )?(?:command|process|execution|script|operation)[^\n]{0,40}\b(?:timed out|timeout|exceeded the (?:time|timeout))\b[^\n]{0,200}$/i

const missing =
  /^(?:\/?\w*\/?bin\/|-)?(?:ba|da|z|k|a)?sh: (?:line \d+: |\d+: )?[^\s:]{1,80}: (?:command )?not found$|^(?:zsh: )?command not found: \S{1,80}$|^'[^'\n]{1,80}' is not recognized as an internal or external command/i

/** Returns how the command of an answer ended, or `undefined` if the answer does not say. */
export const endOf = (text: string): CommandEnd | undefined => {
  const trimmed = text.trim()
  const tail = trimmed.slice(-300)
  if (timedOut.test(tail)) return { _tag: "TimedOut" }
  const code = exited.exec(tail) ?? exited.exec(trimmed.slice(0, 80))
  const output = trimmed.replace(exited, "").trim()
  if (output.length <= 200 && missing.test(output)) return { _tag: "Missing" }
  return code === null ? undefined : { _tag: "Exited", code: Number(code[1] ?? code[2] ?? code[3]) }
}

/** Programs that print JSON, so that an object may be the output of the command. */
const printers =
  /\b(?:curl|wget|https?|jq|yq|cat|echo|printf|json|api|node|bun|deno|npx|npm|python3?|php|ruby|perl|gh|glab|aws|gcloud|az|kubectl|docker|grep|rg|tail|head|psql|mysql|sqlite3|redis-cli)\b/i

/** Fields that may stand beside the error of a harness: they say nothing about the output of a command. */
const envelope: ReadonlySet<string> = new Set(["error", "id", "ok", "pid", "session_id", "success"])

/**
 * Returns the error of an answer that is an object with nothing else, as a harness writes it for a command that did not
 * run or did not end. Any other error is one of the command's own if the command may print JSON.
 */
export const errorOf = (answers: ReadonlyArray<unknown>, args: unknown): string | undefined => {
  const found = answers.find((answer) => isJsonObject(answer) && typeof answer["error"] === "string")
  if (!isJsonObject(found) || !Object.keys(found).every((field) => envelope.has(field))) return undefined
  const error = String(found["error"])
  if (error === "" || found["success"] === true || found["ok"] === true) return undefined
  const isOfHarness = endOf(error) !== undefined || isHarnessError(error)
  return isOfHarness || !printers.test(JSON.stringify(args) ?? "") ? error : undefined
}

/** True if a text is an error of the harness instead of the command's output, because the command did not run. */
export const isHarnessError = (text: string): boolean =>
  /^\W{0,3}(?:error (?:executing|calling) (?:the )?tool|mcp error|(?:input )?validation error|unknown tool|no such (?:tool|function)|(?:<tool_use_error>)|tool \S+ (?:not found|does not exist)|(?:error: )?command (?:was |is )?(?:not allowed|blocked|rejected|denied))/i.test(
    text
  )
