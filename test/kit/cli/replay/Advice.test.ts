/** Tests the flag `--advise`, and the command that a report proposes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Advice from "#kit/cli/replay/Advice"
import { call, conversation, tool, user } from "../../replay/logs.ts"

const read = (...values: ReadonlyArray<string>) => Effect.runSync(Effect.result(Advice.read(values)))

describe("--advise", () => {
  it("13.1 names tools, separated by commas or repeated, or all tools", () => {
    assert.deepStrictEqual(read(), Result.succeed(new Set<string>()))
    assert.deepStrictEqual(read("a,b", " c "), Result.succeed(new Set(["a", "b", "c"])))
    assert.deepStrictEqual(read("a", "all"), Result.succeed("all" as const))
    for (const values of [[""], ["a,,b"], ["a", " "]]) assert.isTrue(Result.isFailure(read(...values)), values.join())
  })

  it("13.1 is refused for a name that no tool of the log or of the given tools has", () => {
    const log = conversation([tool("get_order", {})], [user("go"), ...call("send_mail", {}, "sent")])
    const missing = (names: ReadonlyArray<string>, known: ReadonlyArray<string> = []) => {
      const occurrences = Advice.occurrences(new Set(names), known)
      occurrences.add(log)
      const checked = Effect.runSync(Effect.result(occurrences.check))
      return Result.isFailure(checked) ? `${checked.failure.message} ${checked.failure.remedy}` : undefined
    }
    assert.isUndefined(missing(["get_order", "send_mail"]))
    assert.isUndefined(missing(["own"], ["own"]))
    assert.strictEqual(
      missing(["get_order", "send_mails"]),
      "--advise names send_mails, and the log has no such tool. Did you mean send_mail?"
    )
    assert.strictEqual(
      missing(["x"]),
      "--advise names x, and the log has no such tool. Name a tool of the log, or pass --advise all."
    )
    assert.strictEqual(
      missing(["send_mails"], ["get_mail", "send_mail_2", "mail_sender"]),
      "--advise names send_mails, and the log has no such tool. Did you mean send_mail or send_mail_2?"
    )
    assert.isUndefined(Effect.runSync(Advice.occurrences("all", []).check))
  })
})

describe("the command that was meant", () => {
  const command = (line: string, file: string) => Advice.commandFor(line.split(" "), file)

  it("13.1 has the file that the flag read as an argument, and all tools in the flag's place", () => {
    assert.strictEqual(command("replay --advise a.jsonl", "a.jsonl"), "toolguard replay a.jsonl --advise all")
    assert.strictEqual(
      command("replay --json --advise=a.jsonl.gz b.jsonl", "a.jsonl.gz"),
      "toolguard replay --json b.jsonl a.jsonl.gz --advise all"
    )
  })

  it("13.1 keeps the tools that were named", () => {
    assert.strictEqual(
      command("explain --advise get_order --advise a.jsonl:3#1", "a.jsonl:3#1"),
      "toolguard explain 'a.jsonl:3#1' --advise get_order"
    )
  })
})

describe("the proposed command", () => {
  const command = (line: string, ...tools: ReadonlyArray<string>) => Advice.commandWith(line.split(" "), tools)

  it("13.1 adds the tools to the present command, once each", () => {
    assert.strictEqual(command("replay a.jsonl", "b", "c"), "toolguard replay a.jsonl --advise b,c")
    for (const line of ["replay --advise a x.jsonl --json", "replay --advise=a x.jsonl --json"]) {
      assert.strictEqual(command(line, "b", "a"), "toolguard replay x.jsonl --json --advise a,b")
    }
  })

  it("13.1 can be pasted into a shell", () => {
    assert.strictEqual(
      Advice.commandWith(["replay", "my log's.jsonl"], ["a b", "c;d"]),
      String.raw`toolguard replay 'my log'\''s.jsonl' --advise 'a b,c;d'`
    )
  })

  it("13.1 names all tools if there are many, or if a name cannot be written in a list", () => {
    const many = Array.from({ length: 11 }, (_, index) => `tool_${index}`)
    for (const tools of [many, ["a,b"], [" a"], ["(others)"]]) {
      assert.strictEqual(command("replay x.jsonl", ...tools), "toolguard replay x.jsonl --advise all")
    }
    assert.include(command("replay x.jsonl", ...many.slice(1)), "--advise tool_1,tool_2,")
  })
})
