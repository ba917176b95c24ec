/** Tests that the runner of mutants confirms results, although its threads keep modules and their caches. */
import { afterEach, assert, describe, it } from "@effect/vitest"
import { ThreadRunner } from "./Runner.ts"

const file = "test/mutation/sample/Sample.spec.ts"

describe("the runner of mutants", () => {
  let runner = new ThreadRunner()
  afterEach(async () => {
    await runner.dispose()
    runner = new ThreadRunner()
  })

  const start = () => runner.dryRun({ testFiles: [file] })

  const mutate = (id: string, test: string, hitLimit?: number) =>
    runner.mutantRun({
      activeMutant: { id },
      testFilter: [`${file}#${test}`],
      ...(hitLimit === undefined ? {} : { hitLimit })
    })

  it("runs each test without mutants, and reports its id and position", async () => {
    const { status, tests = [] } = await start()
    assert.strictEqual(status, "complete")
    assert.deepStrictEqual(
      tests.map(({ id, startPosition, status }) => [id, startPosition?.line, status]),
      [
        [`${file}#doubles`, 3, 0],
        [`${file}#squares`, 5, 0],
        [`${file}#recognises positive numbers`, 7, 0]
      ]
    )
  })

  it("a mutant that fails a test is killed, by that test alone", async () => {
    await start()
    assert.deepInclude(await mutate("halves", "doubles"), {
      status: "killed",
      killedBy: [`${file}#doubles`],
      nrOfTests: 1
    })
  })

  it("a mutant that fails no test survives", async () => {
    await start()
    assert.deepStrictEqual(await mutate("zero", "recognises positive numbers"), { status: "survived", nrOfTests: 1 })
  })

  it("a mutant that a cache hides is killed in a new thread", async () => {
    await start()
    assert.strictEqual((await mutate("cubes", "squares")).status, "killed")
  })

  it("a mutant that a cache hides survives if survivors are not confirmed", async () => {
    process.env["MUTANTS_UNCONFIRMED"] = "1"
    const lenient = new ThreadRunner()
    delete process.env["MUTANTS_UNCONFIRMED"]
    await lenient.dryRun({ testFiles: [file] })
    const mutant = { activeMutant: { id: "cubes" }, testFilter: [`${file}#squares`] }
    assert.strictEqual((await lenient.mutantRun(mutant)).status, "survived")
    await lenient.dispose()
  })

  it("if a killed mutant leaves a wrong value in a cache, the value does not kill the next mutant", async () => {
    assert.strictEqual((await mutate("cubes", "squares")).status, "killed")
    assert.strictEqual((await mutate("halves", "squares")).status, "survived")
  })

  it("a mutant that is reached more often than its limit times out", async () => {
    assert.strictEqual((await mutate("zero", "recognises positive numbers", 1)).status, "timeout")
  })
})
