/** Tests how logs are reported in which the model writes its calls as text. */
import { assert, describe, it } from "@effect/vitest"
import * as FormatDetector from "#kit/traffic/formats/FormatDetector"
import { readAll, skipped } from "./lines.ts"

const said = (content: string) => ({ role: "assistant", content })

/** Reads a conversation in which the model says a text, and returns the reports. */
const reportsOf = (text: string, next = "Observation: sunny", ...more: ReadonlyArray<object>) =>
  readAll(FormatDetector.make(), {
    messages: [{ role: "user", content: "Rome?" }, said(text), { role: "user", content: next }, ...more]
  }).slice(1)

const fence = "```"

describe("a call that the model writes as text", () => {
  it("13.1 is reported with the number of its message, its form, and how to log it", () => {
    const written: ReadonlyArray<readonly [form: string, text: string]> = [
      ["Action: …", "Thought: I look.\nAction: get_weather[Rome]"],
      ["Action: …", '**Action**: get_weather({"city":"Rome"})'],
      ["Action: …", 'Action 1: get_weather\nAction Input: {"city":"Rome"}'],
      ["<tool_call>", 'I look.\n<tool_call>\n{"name":"get_weather","arguments":{}}\n</tool_call>'],
      ["<function=…>", "<function=get_weather><parameter=city>Rome</parameter></function>"],
      ["<function=…>", '<invoke name="get_weather">'],
      ["[TOOL_CALLS]", '[TOOL_CALLS] [{"name":"get_weather"}]'],
      ["JSON", `I look.\n${fence}json\n{"action":"get_weather","action_input":{"city":"Rome"}}\n${fence}`],
      ["JSON", '{"tool":"get_weather","args":{"city":"Rome"}}'],
      ["a command between ```", `I look.\n${fence}bash\ncurl example.com\n${fence}`]
    ]
    for (const [form, text] of written) {
      const reason = `Message 2 writes a call as text (${form}), which is not read. Log its name and arguments as fields: "tool_calls":[{"id":"1","function":{"name":"x","arguments":"{}"}}].`
      assert.deepStrictEqual(reportsOf(text), [{ ...skipped(1, reason), isCall: true }], text)
    }
  })

  it("13.1 is no other text, and no text beside calls that are read", () => {
    const others = [
      "The action: we wait.",
      "Action items: one, two",
      "Call it with `<tool_call>`.",
      `${fence}json\n{"name":"Ada","city":"Rome"}\n${fence}`,
      `${fence}bash\nnpm ci\n${fence}\nand\n${fence}bash\nnpm test\n${fence}`,
      '{"answer":"get_weather"}',
      "x".repeat(100_001) + "\nAction: get_weather[Rome]"
    ]
    for (const text of others) assert.deepStrictEqual(reportsOf(text), [], text.slice(0, 100))
    assert.deepStrictEqual(reportsOf(`${fence}bash\nnpm ci\n${fence}`, "Thank you."), [])
    const call = { role: "assistant", tool_calls: [{ id: "a", function: { name: "get_a", arguments: "{}" } }] }
    assert.deepStrictEqual(reportsOf("Action: get_weather[Rome]", "Go on", call), [])
  })
})
