/** Runs `toolguard runs` as a process on real SQLite files and on PostgreSQL. */
import * as CheckpointsSql from "#layers/CheckpointsSql"
import * as SqliteNode from "#layers/SqliteNode"
import { Checkpoints } from "#services/Checkpoints"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Layer } from "effect"
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { begin, byPlace, onStores, resume, storesWith } from "../../../agent/processes.ts"
import { call } from "../../../agent/support.ts"
import { tool } from "../../../pipeline/support.ts"
import { needs } from "../../../support/prerequisites.ts"
import { postgres, scratchDatabase, scratchUrl } from "../../../support/servers.ts"
import { toolguard } from "../toolguard.ts"

const folder = mkdtempSync(join(tmpdir(), "toolguard-runs-"))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const fresh = (ending: string) => join(folder, `${(files += 1)}${ending}`)

const checkpointsIn = (filename: string) =>
  Layer.orDie(Layer.provide(CheckpointsSql.layer, SqliteNode.layer({ filename })))

const inStore = <A>(filename: string, use: (store: Checkpoints["Service"]) => Effect.Effect<A, unknown>): Promise<A> =>
  Effect.runPromise(Effect.provide(Effect.flatMap(Checkpoints, use), checkpointsIn(filename)))

/** Creates the tools and the model of one process. */
const world = () => {
  const read = tool("read_it", {}, ({ q }: { readonly q: string }) => Effect.succeed({ n: q.length }))
  const script = ["a", "bb", "ccc"].map((q) => call("read_it", { q }, `c${q.length}`))
  return { tools: [read], model: byPlace([...script, "It is done."]), runs: read.runs }
}

/** Executes an effect with the checkpoints of a database. */
const play = <A>(filename: string, run: Effect.Effect<A, any, any>): Promise<A> =>
  Effect.runPromise(run.pipe(onStores(storesWith(checkpointsIn(filename)))))

/** Creates a database in which a run stopped after its second round. */
const stopped = async (run: string): Promise<string> => {
  const file = fresh(".db")
  await play(file, begin(world(), { run, maxRounds: 2 }))
  return file
}

const runs = (database: string, ...args: ReadonlyArray<string>) => toolguard(["runs", ...args, "--database", database])

describe("toolguard runs", () => {
  it("12.1 lists the runs with their states", async () => {
    const file = await stopped("job\u202e 17")
    await play(file, begin(world(), { run: "completed" }))
    await inStore(file, (store) =>
      store.open(
        { tenant: "acme", run: "held" },
        { mayMake: true, format: 1, lease: Duration.hours(1), takeOver: false }
      )
    )
    const { code, stderr, stdout } = await runs(file, "list")
    assert.deepStrictEqual([code, stderr], [0, ""])
    assert.match(
      stdout,
      /^job\[U\+202E\] 17 {2}tenant default\n {2}interrupted, 6 rows, started \d+ s ago, last row \d+ s ago\n/u
    )
    assert.match(stdout, /\ncompleted {2}tenant default\n {2}completed, 0 rows, /u)
    assert.match(stdout, /\nheld {2}tenant acme\n {2}in use, 0 rows, /u)
    assert.match(stdout, /\n3 runs\.\n$/u)
    const json = JSON.parse((await runs(file, "list", "--json")).stdout)
    assert.deepStrictEqual(
      json.runs.map(({ isCompleted, isInUse, run, written }: any) => [run, written, isCompleted, isInUse]),
      [
        ["job\u202e 17", 6, false, false],
        ["completed", 0, true, false],
        ["held", 0, false, true]
      ]
    )
  })

  it("12.1 moves a run to another database, where it resumes without repeating a call", async () => {
    const [from, to, copy] = [await stopped("../job 17"), fresh(".db"), fresh(".jsonl")]
    const exported = await runs(from, "export", "../job 17", copy)
    assert.deepStrictEqual(exported, { code: 0, stdout: `../job 17: wrote 6 rows to ${copy}.\n`, stderr: "" })
    assert.strictEqual(statSync(copy).mode & 0o777, 0o600)
    const imported = await runs(to, "import", copy)
    assert.deepStrictEqual(imported, {
      code: 0,
      stdout: "../job 17: 6 rows were imported. Resume it with Agent.resume.\n",
      stderr: ""
    })
    const second = world()
    const { end, asked } = await play(to, resume(second, { run: "../job 17" }))
    assert.deepStrictEqual([end._tag, asked, second.runs(), end.usage.rounds], ["Answered", 2, 1, 4])
    const twice = await runs(to, "import", copy)
    assert.deepStrictEqual(twice, {
      code: 1,
      stdout: "",
      stderr:
        "toolguard: The run ../job 17 is refused: A run with this id already exists in this database.\nNothing was changed.\n"
    })
  })

  it("12.1 exports and imports a completed run with its end", async () => {
    const [from, to, copy] = [fresh(".db"), fresh(".db"), fresh(".jsonl")]
    const first = await play(from, begin(world(), { run: "done" }))
    await runs(from, "export", "done", copy)
    await runs(to, "import", copy)
    const second = world()
    const { asked, end } = await play(to, begin(second, { run: "done" }))
    assert.deepStrictEqual([end._tag, asked, second.runs()], ["Answered", 0, 0])
    assert.deepStrictEqual(end.usage, first.end.usage)
  })

  it("12.1 does not overwrite a file, and leaves no partial file", async () => {
    const [database, copy] = [await stopped("run"), fresh(".jsonl")]
    writeFileSync(copy, "mine")
    const before = readdirSync(folder).length
    assert.deepStrictEqual(await runs(database, "export", "run", copy), {
      code: 1,
      stdout: "",
      stderr: `toolguard: ${copy} already exists.\nIt was not changed. Choose another file.\n`
    })
    assert.strictEqual(readFileSync(copy, "utf8"), "mine")
    const nowhere = join(folder, "nowhere", "run.jsonl")
    assert.include((await runs(database, "export", "run", nowhere)).stderr, `The folder of ${nowhere} does not exist.`)
    assert.include(
      (await runs(database, "export", "run", "/dev/full/run")).stderr,
      "toolguard: Cannot write /dev/full/run"
    )
    assert.strictEqual(readdirSync(folder).filter((name) => name.endsWith(".tmp")).length, 0)
    assert.isAtMost(readdirSync(folder).length, before)
  })

  it("12.2 refuses damaged and foreign files, and creates no database for them", async () => {
    const [database, copy, to] = [await stopped("run"), fresh(".jsonl"), fresh(".db")]
    await runs(database, "export", "run", copy)
    const text = readFileSync(copy, "utf8")
    for (const [bytes, what] of [
      [text.slice(0, -20), "It is damaged: it was truncated or changed."],
      [text.replace("Go.", "Stop."), "It is damaged: it was truncated or changed."],
      ["a,b\n", "It was not written by toolguard runs export."]
    ] as const) {
      const wrong = fresh(".jsonl")
      writeFileSync(wrong, bytes)
      const { code, stderr } = await runs(to, "import", wrong)
      assert.strictEqual(code, 1)
      assert.include(stderr, `toolguard: ${wrong} is refused. ${what}\n`)
    }
    assert.include((await runs(to, "import", fresh(".jsonl"))).stderr, "toolguard: There is no file ")
    assert.isFalse(existsSync(to))
  })

  it("12.1 removes a run that no process owns", async () => {
    const file = await stopped("run")
    assert.include((await runs(file, "remove", "another")).stderr, "toolguard: There is no run another.")
    assert.include((await runs(file, "remove", "run", "--tenant", "acme")).stderr, "toolguard: There is no run run.")
    await inStore(file, (store) =>
      store.open(
        { tenant: "default", run: "run" },
        { mayMake: false, format: 1, lease: Duration.hours(1), takeOver: false }
      )
    )
    const held = await runs(file, "remove", "run")
    assert.deepStrictEqual([held.code, held.stdout], [1, ""])
    assert.include(held.stderr, "A process owns the run run.")
    const copy = fresh(".jsonl")
    assert.include((await runs(file, "export", "run", copy)).stderr, "do not resume the copy as well")
    await inStore(file, (store) =>
      Effect.flatMap(
        store.open(
          { tenant: "default", run: "run" },
          { mayMake: false, format: 1, lease: Duration.hours(1), takeOver: true }
        ),
        ({ owner }) => store.close({ tenant: "default", run: "run" }, owner, undefined)
      )
    )
    assert.deepStrictEqual(await runs(file, "remove", "run"), { code: 0, stdout: "Removed run.\n", stderr: "" })
    assert.strictEqual((await runs(file, "list")).stdout, "There are no runs.\n")
  })

  it("8.3 lists, exports, imports and removes the run of a principal by its owner", async () => {
    const [from, to, copy] = [await stopped("run"), fresh(".db"), fresh(".jsonl")]
    const ana = { tenant: "default", principal: "ana", run: "run" }
    const turn = { conversation: "c", turn: "1", principal: "ana" }
    await play(from, begin(world(), { run: "run", turn, maxRounds: 1 }))
    const listed = await runs(from, "list", "--principal", "ana")
    assert.match(listed.stdout, /^run {2}tenant default {2}principal ana\n {2}interrupted, 4 rows, .*\nOne run\.\n$/u)
    for (const args of [
      ["export", "run", copy, "--principal", "ben"],
      ["remove", "run", "--principal", "ben"]
    ])
      assert.include((await runs(from, ...args)).stderr, "toolguard: There is no run run.")
    assert.strictEqual((await runs(from, "export", "run", copy, "--principal", "ana")).code, 0)
    assert.strictEqual((await runs(to, "import", copy)).code, 0)
    const imported = await inStore(to, (store) => Effect.all([store.find(ana), store.list]))
    assert.deepStrictEqual([imported[0]?.principal, imported[1].length], ["ana", 1])
    assert.strictEqual((await play(to, resume(world(), ana))).end._tag, "Answered")
    assert.strictEqual((await runs(from, "remove", "run", "--principal", "ana")).code, 0)
    const rest = await inStore(from, ({ list }) => list)
    assert.deepStrictEqual(
      rest.map(({ principal, written }) => [principal, written]),
      [[undefined, 6]]
    )
  })

  it("12.2 does not change a foreign database", async () => {
    const file = fresh(".db")
    const db = new DatabaseSync(file)
    db.exec("CREATE TABLE orders (id TEXT)")
    db.close()
    const { code, stderr } = await runs(file, "list")
    assert.strictEqual(code, 1)
    assert.include(stderr, "toolguard: This database has no runs.")
    const after = new DatabaseSync(file, { readOnly: true })
    assert.lengthOf(after.prepare("SELECT name FROM sqlite_master").all(), 1)
    after.close()
    chmodSync(file, 0o600)
    assert.include((await runs(fresh(".db"), "list")).stderr, "toolguard: There is no file ")
    assert.strictEqual((await toolguard(["runs", "list"])).code, 2)
  })
})

describe("toolguard runs on PostgreSQL", needs(postgres), () => {
  const database = scratchDatabase("cli_runs")
  const url = scratchUrl("cli_runs")

  it("12.1 imports a run from SQLite, and exports it unchanged", async () => {
    await Effect.runPromise(Effect.scoped(Layer.build(Layer.orDie(database))))
    const [from, to, there, back] = [await stopped("a\u0000b"), fresh(".db"), fresh(".jsonl"), fresh(".jsonl")]
    const text = await inStore(from, (store) => store.find({ tenant: "default", run: "a\u0000b" }))
    // an argument of a process cannot contain U+0000, so the run is exported under another id
    await inStore(from, (store) => (text === undefined ? Effect.void : store.put({ ...text, run: "' \"\\ 👩" })))
    assert.strictEqual((await runs(from, "export", "' \"\\ 👩", there)).code, 0)
    assert.strictEqual((await runs(url, "import", there)).code, 0)
    assert.strictEqual((await runs(url, "export", "' \"\\ 👩", back)).code, 0)
    assert.strictEqual(readFileSync(back, "utf8"), readFileSync(there, "utf8"))
    assert.strictEqual((await runs(to, "import", back)).code, 0)
    assert.strictEqual((await play(to, resume(world(), { run: "' \"\\ 👩" }))).end._tag, "Answered")
  })
})
