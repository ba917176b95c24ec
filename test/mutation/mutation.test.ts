/** Tests how the results of `npm run mutate` are judged, and that each accepted mutant still has its source line. */
import { assert, describe, it } from "@effect/vitest"
import { dirname } from "node:path"
import { paths, read } from "../support/sources.ts"
import { type AcceptedMutant, count, failures, type Report } from "./Report.ts"
import { rooms } from "./Room.ts"

const accepted = JSON.parse(read("test/mutation/accepted.json")) as ReadonlyArray<AcceptedMutant> // the type describes the file

const source = "const a = (n: number) =>\n  n > 1 &&\n  n < 9\n"
const file = "src/domain/text/A.ts"

/** A mutant of `n > 1`, on the second line. */
const mutant = (status: string, replacement = "n >= 1") => ({
  status,
  replacement,
  mutatorName: "EqualityOperator",
  location: { start: { line: 2, column: 3 }, end: { line: 2, column: 8 } }
})

const report = (...statuses: ReadonlyArray<string>): Report => ({
  files: {
    [file]: { source, mutants: statuses.map((status) => mutant(status)) },
    "src/domain/turn/B.ts": { source, mutants: [mutant("Survived")] }
  }
})

const boundary: AcceptedMutant = {
  file,
  line: "n > 1 &&",
  original: "n > 1",
  replacement: "n >= 1",
  reason: "The caller passes no 1."
}

const counted = (statuses: ReadonlyArray<string>, ...accepted: ReadonlyArray<AcceptedMutant>) =>
  count(report(...statuses), new Set([file]), accepted)

describe("npm run mutate", () => {
  it("killed and timed-out mutants are detected; ignored and invalid mutants are not counted", () => {
    const { open, ...counts } = counted(["Killed", "Killed", "Timeout", "Survived", "Ignored", "RuntimeError"])
    assert.deepStrictEqual(counts, {
      mutants: 4,
      killed: 2,
      timeout: 1,
      survived: 1,
      uncovered: 0,
      accepted: 0,
      score: 75,
      stale: []
    })
    assert.deepStrictEqual(open, [
      { file, row: 2, mutator: "EqualityOperator", line: "n > 1 &&", original: "n > 1", replacement: "n >= 1" }
    ])
  })

  it("a mutant that no test reaches is not detected", () => {
    const { open, score, uncovered } = counted(["Killed", "NoCoverage"])
    assert.deepStrictEqual([uncovered, score, open.length], [1, 50, 1])
  })

  it("a static mutant counts only if a test reaches it", () => {
    const of = (coveredBy: ReadonlyArray<string>) => {
      const mutants = [{ ...mutant("NoCoverage"), static: true, coveredBy }]
      return count({ files: { [file]: { source, mutants } } }, new Set([file]), []).mutants
    }
    assert.deepStrictEqual([of([]), of(["1"])], [0, 1])
  })

  it("the first line of a mutant over several lines identifies it", () => {
    const block = { ...mutant("Survived"), location: { start: { line: 2, column: 3 }, end: { line: 3, column: 8 } } }
    const { open } = count({ files: { [file]: { source, mutants: [block] } } }, new Set([file]), [])
    assert.deepStrictEqual(
      open.map(({ original }) => original),
      ["n > 1 &&"]
    )
  })

  it("an accepted survivor is not open, and does not raise the score", () => {
    const { accepted, open, score, stale } = counted(["Killed", "Survived"], boundary)
    assert.deepStrictEqual([accepted, open, score, stale], [1, [], 50, []])
    const other = counted(["Survived"], { ...boundary, replacement: "n <= 1" })
    assert.deepStrictEqual([other.accepted, other.open.length], [0, 1])
  })

  it("an accepted mutant that is detected is stale, and an accepted mutant of another room is not judged", () => {
    assert.deepStrictEqual(counted(["Killed"], boundary).stale, [boundary])
    assert.deepStrictEqual(counted(["Killed"], { ...boundary, file: "src/domain/turn/B.ts" }).stale, [])
  })

  it("less than 85 % detected, more than 5 % accepted, and stale entries are reported with one sentence each", () => {
    const of = (killed: number, survived: number, ...accepted: ReadonlyArray<AcceptedMutant>) =>
      failures(
        counted(
          [...Array.from({ length: killed }, () => "Killed"), ...Array.from({ length: survived }, () => "Survived")],
          ...accepted
        )
      )
    assert.deepStrictEqual(of(85, 15), [])
    assert.deepStrictEqual(of(84, 16), ["84.0 % of the mutants are detected; the minimum is 85 %"])
    assert.deepStrictEqual(of(95, 5, boundary), [])
    assert.deepStrictEqual(of(94, 6, boundary), ["6 of 100 mutants are accepted; the maximum is 5 %"])
    assert.deepStrictEqual(of(10, 0, boundary), [
      `accepted.json names a mutant that does not survive; remove it: ${file} | n > 1 && | n >= 1`
    ])
  })
})

describe("accepted.json", () => {
  it("each mutant has a source line in a room, and a reason", () => {
    const inRooms = new Set(rooms.flatMap(({ files }) => files))
    const lost = accepted.filter(
      ({ file, line, original, reason }) =>
        !inRooms.has(file) ||
        !line.includes(original) ||
        !reason.endsWith(".") ||
        !read(file)
          .split("\n")
          .some((each) => each.trim() === line)
    )
    assert.deepStrictEqual(lost, [])
  })

  it("each mutant is named once", () => {
    const keys = accepted.map(({ file, line, original, replacement }) => [file, line, original, replacement].join("\n"))
    assert.strictEqual(new Set(keys).size, keys.length)
  })
})

describe("rooms", () => {
  it("are all folders of src/domain and src/pipeline, except three folders of tables", () => {
    const folders = new Set(paths("src/{domain,pipeline}/**/*.ts").map((path) => dirname(path).slice("src/".length)))
    const known = new Set(rooms.map(({ name }) => name))
    assert.deepStrictEqual(
      [...folders].filter((name) => !known.has(name)),
      ["domain/classification/codes", "domain/classification/phrases", "domain/failure/codes"]
    )
  })

  it("have globs that each match test files", () => {
    assert.deepStrictEqual(
      rooms
        .flatMap(({ callers, own, parts }) => [...own, ...callers, ...parts.flatMap((part) => part.own)])
        .filter((glob) => paths(glob).length === 0),
      []
    )
  })

  it("have parts that contain each source once", () => {
    for (const { files, parts } of rooms)
      assert.deepStrictEqual(parts.flatMap((part) => part.files).toSorted(), [...files].toSorted())
  })
})
