/** Tests reading files of recorded traffic, valid and invalid. */
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect, Result, Stream } from "effect"
import { randomBytes } from "node:crypto"
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import { Problem } from "#kit/cli/console/Problem"
import { maxBytes } from "#kit/cli/traffic/Lines"
import * as Traffic from "#kit/cli/traffic/Traffic"
import { type FormatName, names } from "#kit/traffic/Format"
import * as Mapping from "#kit/traffic/Mapping"
import { samples } from "../../traffic/samples.ts"
import { linux, needs } from "../../../support/prerequisites.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-traffic-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
/** Writes a new file with this content. */
const fileOf = (content: string | Uint8Array, ending = ".jsonl"): string => {
  const name = join(folder, `${(files += 1)}${ending}`)
  writeFileSync(name, content)
  return name
}

/** Counts the descriptors of this process that are open on a file. */
const descriptorsOf = (name: string): number =>
  readdirSync("/proc/self/fd").filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === name
    } catch {
      return false // the descriptor of the listing is closed by now
    }
  }).length

const chat = (text: string) => ({
  messages: [
    { role: "user", content: text },
    { role: "developer", content: "" }
  ]
})
const line = (text: string) => JSON.stringify(chat(text))

interface ReadTraffic {
  /** The line and the text of each conversation, or the line and the reason of each skipped part. */
  readonly items: ReadonlyArray<readonly [line: number, text: string]>
  readonly batches: ReadonlyArray<Traffic.Batch>
}

const read = async (names: string | ReadonlyArray<string>, options?: Traffic.Options): Promise<ReadTraffic> => {
  const batches: Array<Traffic.Batch> = []
  for await (const batch of Stream.toAsyncIterable(
    Traffic.stream(typeof names === "string" ? [names] : names, options)
  ))
    batches.push(batch)
  const items = batches
    .flatMap((batch) => batch.items)
    .map((item) => [item.place.line, item._tag === "Skipped" ? item.reason : (item.messages[0]?.text ?? "")] as const)
  return { items, batches }
}

/** Returns the message and the remedy of the problem that ends the reading. */
const problemOf = async (names: string | ReadonlyArray<string>): Promise<readonly [string, string]> => {
  try {
    await read(names)
  } catch (error) {
    assert.instanceOf(error, Problem)
    return [error.message.replaceAll(`${folder}/`, ""), error.remedy.replaceAll(`${folder}/`, "")]
  }
  return assert.fail("It was read.")
}

describe("recorded traffic in files", () => {
  it("13.1 is read line by line, with LF or CRLF, empty lines, a byte order mark and a last line without an end", async () => {
    const text = `\ufeff${line("a")}\r\n\n  \t\r\n${line("ü€😀")}\n${line("c")}`
    const expected: ReadTraffic["items"] = [
      [1, "a"],
      [4, "ü€😀"],
      [5, "c"]
    ]
    assert.deepStrictEqual((await read(fileOf(text))).items, expected)
    assert.deepStrictEqual((await read(fileOf(`${text}\n`))).items, expected)
    assert.deepStrictEqual((await read(fileOf(gzipSync(text), ".txt"))).items, expected)
    const twice = Buffer.concat([gzipSync(`${line("a")}\n`), gzipSync(line("b"))])
    assert.deepStrictEqual((await read(fileOf(twice))).items, [
      [1, "a"],
      [2, "b"]
    ])
  })

  it("13.1 reports lines that are not valid JSON or not a conversation, with their numbers", async () => {
    const name = fileOf([line("a"), `{"messages": [}`, "null", "7", "[]", "\u0000", `{"mess`].join("\n"))
    const not = "The file holds OpenAI chat messages, but this line is"
    assert.deepStrictEqual((await read(name)).items, [
      [2, "The line cannot be read: invalid JSON at position 14: a value is missing, or there is an extra comma."],
      [3, `${not} null.`],
      [4, `${not} a number.`],
      [5, "The conversation has no messages."],
      [6, "The line cannot be read: the text is plain text, not JSON."],
      [7, "The file ends within this line."],
      [1, "a"]
    ])
  })

  it("13.1 reads lines across many chunks, and reports lines that are too long without keeping them", async () => {
    const long = "x".repeat(3_000_000)
    const name = fileOf(`${line(long)}\n${line("b")}\n`)
    appendFileSync(name, `{"messages": "`)
    for (let size = 0; size < maxBytes; size += long.length) appendFileSync(name, long)
    appendFileSync(name, `"}\n${line("d")}\n`)
    const { items } = await read(name)
    assert.deepStrictEqual(items, [
      [3, "The line is longer than 64 MB."],
      [1, long],
      [2, "b"],
      [4, "d"]
    ])
  })

  it("13.1 decodes characters of several bytes across the ends of chunks", async () => {
    const texts = Array.from({ length: 400 }, (_, i) => "€😀ü".repeat(1_000 + i))
    const { items } = await read(fileOf(texts.map(line).join("\n")))
    assert.deepStrictEqual(
      items.map(([, text]) => text),
      texts
    )
  })

  it("13.1 reads one JSON document: a list of conversations or of messages, one conversation, an OpenTelemetry export", async () => {
    const indented = JSON.stringify([chat("a"), chat("b")], undefined, 2)
    const expected: ReadTraffic["items"] = [
      [1, "a"],
      [2, "b"]
    ]
    assert.deepStrictEqual((await read(fileOf(indented, ".json"))).items, expected)
    assert.deepStrictEqual((await read(fileOf(`[${line("a")},${line("b")}]`))).items, expected)
    assert.deepStrictEqual((await read(fileOf(`[\n${line("a")},\n${line("b")}\n]\n`))).items, expected)
    assert.deepStrictEqual((await read(fileOf(`[${line("a")},\n${line("b")}]\n`))).items, expected)
    assert.deepStrictEqual((await read(fileOf(JSON.stringify(chat("a"), undefined, "\t")))).items, [[1, "a"]])
    assert.deepStrictEqual((await read(fileOf(JSON.stringify(chat("a").messages, undefined, 1)))).items, [[1, "a"]])
    const big = JSON.stringify([chat("x".repeat(2_500_000)), chat("b")], undefined, 2)
    assert.deepStrictEqual(
      (await read(fileOf(gzipSync(big)))).items.map(([at, text]) => [at, text.length]),
      [
        [1, 2_500_000],
        [2, 1]
      ]
    )
    const otlp = JSON.stringify(samples.otel[0], undefined, 2)
    const [found] = (await read(fileOf(otlp))).batches.flatMap((batch) => batch.items)
    assert.strictEqual(found?._tag, "Conversation")
  })

  it("13.1 reads a truncated first line as an invalid line, not as the beginning of a document", async () => {
    for (const cut of [`{"messages": [`, `{"id": "x",`, `{"messages": [{"role": "user",`]) {
      const { items } = await read(fileOf([cut, line("b"), line("c")].join("\n")))
      assert.deepStrictEqual(
        items.map(([at]) => at),
        [1, 2, 3],
        cut
      )
      assert.match(items[0]?.[1] ?? "", /^The line cannot be read: /u)
    }
  })

  it("13.1 reports why a file cannot be read, and what to do", async () => {
    assert.deepStrictEqual(await problemOf(fileOf(`{\n  "a": 1\n  "a": 2 }\n`)), [
      `${files}.jsonl cannot be read. It is neither JSON Lines nor one JSON document.`,
      "Write one JSON value per line: jq -c '.[]' FILE, or jq -c . FILE"
    ])
    assert.deepStrictEqual(await problemOf(fileOf("2026-01-01 started\n2026-01-01 ended\n")), [
      `${files}.jsonl is not JSON Lines. Line 1: The line cannot be read: the text is plain text, not JSON.`,
      "Write one JSON value per line."
    ])
    const [unknown, forms] = await problemOf(fileOf(`{"when": 1, "level": "info"}\n{"when": 2}\n`))
    assert.strictEqual(
      unknown,
      `The format of ${files}.jsonl is not known: it contains an object with "when", "level".`
    )
    for (const part of ["--format", "--map FILE", ...names]) assert.include(forms, part)
    assert.deepStrictEqual(await problemOf([fileOf(line("a")), join(folder, "none.jsonl")]), [
      "There is no file none.jsonl.",
      "Correct the path. A relative path starts at the working directory."
    ])
    const [message, remedy] = await problemOf(folder)
    assert.deepStrictEqual([message, remedy], [`${folder} is a folder.`, "Name its files: *.jsonl"])
    const signatures: ReadonlyArray<readonly [ReadonlyArray<number>, string]> = [
      [[0xff, 0xfe, 0x7b, 0], "is UTF-16 text."],
      [[0x28, 0xb5, 0x2f, 0xfd, 0], "is a zstd archive."],
      [[0x50, 0x4b, 0x03, 0x04, 0], "is a zip archive."]
    ]
    for (const [bytes, what] of signatures) {
      assert.strictEqual((await problemOf(fileOf(Uint8Array.from(bytes))))[0], `${files}.jsonl ${what}`)
    }
    assert.deepStrictEqual(await problemOf(["-", "-"]), [
      "Standard input (-) is named more than once.",
      "Name it once."
    ])
  })

  it("13.1 reads truncated gzip as far as possible, and reports truncated and damaged files", async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `${line(`${i}`.repeat(20))}\n`).join("")
    const packed = gzipSync(lines)
    const cut = fileOf(packed.subarray(0, packed.length - 100))
    const seen: Array<number> = []
    const stop = await (async () => {
      for await (const { items } of Stream.toAsyncIterable(Traffic.stream([cut])))
        for (const item of items) seen.push(item.place.line)
    })().catch((error: unknown) => error)
    assert.instanceOf(stop, Problem)
    assert.include(stop instanceof Problem ? stop.message : "", "is truncated: its compressed data are incomplete.")
    assert.isAbove(seen.length, 10_000)
    const damaged = Buffer.from(packed)
    damaged.fill(0xaa, 30_000, 30_200)
    assert.include((await problemOf(fileOf(damaged)))[0], "is damaged: its compressed data cannot be read.")
  })

  it("13.1 fails if no conversation was read, with the reason and the forms that a line can have", async () => {
    for (const content of ["", "\n\n", gzipSync("")]) {
      const [message, forms] = await problemOf(fileOf(content))
      assert.strictEqual(message, `No conversation was read from ${files}.jsonl. Line 1: The file is empty.`)
      assert.include(forms, "--map FILE")
    }
    const named = fileOf(samples.anthropic.map((one) => JSON.stringify(one)).join("\n"))
    const problem = await read(named, { format: "claude-code" }).then(
      () => assert.fail("It was read."),
      (error: unknown) => error
    )
    assert.include(
      problem instanceof Problem ? problem.message : "",
      "Line 1: The file holds a Claude Code session, but this line looks like Anthropic messages."
    )
    assert.lengthOf((await read([fileOf(""), fileOf(line("a"))])).items, 2)
    const mapping = Result.getOrThrow(Mapping.read({ role: "kind" }))
    const mapped = await read(fileOf(line("a")), { mapping }).catch((error: unknown) => error)
    assert.include(
      mapped instanceof Problem ? `${mapped.message} ${mapped.remedy}` : "",
      "it has no role. Correct the paths and roles of the mapping."
    )
  })

  it("13.1 detects the format of each file or uses a named format, and counts the bytes", async () => {
    const formats: ReadonlyArray<FormatName> = ["anthropic", "otel", "toolguard"]
    const logs = formats.map((format) => fileOf(samples[format].map((one) => JSON.stringify(one)).join("\n")))
    const { batches } = await read(logs)
    assert.deepStrictEqual(
      logs.map((name) => batches.findLast(({ file }) => file === name)?.format),
      [...formats]
    )
    const total = logs.reduce((sum, name) => sum + readFileSync(name).length, 0)
    assert.deepStrictEqual([batches.at(-1)?.bytes, batches.at(-1)?.total], [total, total])
  })

  it("13.1 closes its file when the consumer stops early", needs(linux), async () => {
    // text that hardly compresses, so that the packed file is not read in one chunk
    const name = fileOf(`${line("a")}\n${`${randomBytes(2_500_000).toString("hex")}\n`.repeat(3)}`)
    const packed = fileOf(gzipSync(readFileSync(name), { level: 1 }))
    for (const each of [name, packed]) {
      let openWhileRead = 0
      for await (const { items } of Stream.toAsyncIterable(Traffic.stream([each]))) {
        if (items.length === 0) continue
        openWhileRead = descriptorsOf(each)
        break
      }
      assert.deepStrictEqual([openWhileRead, descriptorsOf(each)], [1, 0])
    }
  })

  it.effect("13.1 fails with a typed problem", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(Stream.runDrain(Traffic.stream([join(folder, "none")])))
      assert.deepStrictEqual([failure._tag, failure.exitCode], ["Problem", 1])
    })
  )

  it.effect("13.1 fails if no call was read although the model wrote one as text, and says how to log it", () =>
    Effect.gen(function* () {
      const said = (content: string) =>
        JSON.stringify([
          { role: "user", content: "Rome?" },
          { role: "assistant", content }
        ])
      const written = said("Action: get_weather[Rome]")
      const failure = yield* Effect.flip(Stream.runDrain(Traffic.stream([fileOf(`${said("No.")}\n${written}\n`)])))
      assert.strictEqual(failure.exitCode, 1)
      assert.match(failure.message, /^No call was read from .+\. Line 2: Message 2 writes a call as text \(Action: …\)/)
      assert.include(failure.remedy, '"tool_calls"')
      const call = { role: "assistant", tool_calls: [{ id: "a", function: { name: "get_a", arguments: "{}" } }] }
      const { items } = yield* Effect.promise(() => read(fileOf(`${written}\n${JSON.stringify([call])}\n`)))
      assert.lengthOf(items, 3)
      assert.deepStrictEqual((yield* Effect.promise(() => read(fileOf(`${said("No.")}\n`)))).items.length, 1)
    })
  )

  it("13.1 thousands of empty lines are skipped, and the lines after them keep their numbers", async () => {
    for (const count of [4_095, 4_096, 4_097, 10_000]) {
      const { items } = await read(fileOf(`${line("a")}\n${"\n".repeat(count)}${line("b")}\n`))
      assert.deepStrictEqual(
        items.map(([number]) => number),
        [1, count + 2]
      )
    }
  })
})
