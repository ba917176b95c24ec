/** Tests the roles that the words of a message have, and where its clauses end. */
import { assert, describe, it } from "@effect/vitest"
import { clausesOf } from "#domain/classification/grammar/Clause"
import { hasAll, hasAny, type Role, type Roles, rolesOf, union } from "#domain/classification/grammar/Role"
import { read } from "#domain/classification/grammar/Sentence"
import { isSystemMessage } from "#domain/classification/grammar/SystemMessage"

/** The roles that occur in the texts below. */
const roles: ReadonlyArray<Role> = [
  "absent",
  "credential",
  "denied",
  "down",
  "duration",
  "exceeded",
  "exhausted",
  "failed",
  "invalid",
  "memory",
  "needed",
  "negation",
  "rate",
  "right",
  "state",
  "taken",
  "timeout"
]

const shown = (clauses: ReadonlyArray<Roles>): string =>
  clauses.map((clause) => roles.filter((role) => hasAny(clause, rolesOf([role]))).join(" ")).join(" | ")

/** Returns a word of `length` characters with spaces around it. */
const gap = (length: number): string => ` ${"z".repeat(length - 2)} `

/** The roles of the parts of each text, and of its sentences if they differ. */
const rows: ReadonlyArray<readonly [text: string, parts: string, sentences?: string]> = [
  ["", ""],
  ["z", ""],
  ["busy", "down"],
  ["rate limit exceeded", "exceeded rate"],
  ["access denied", "denied right"],
  ["already exists", "taken"],
  ["is already closed", "state"],
  ["memory", "memory"],
  // words inside other words
  ["busyness", ""],
  ["unbusy", ""],
  ["_busy", ""],
  ["busy_", ""],
  ["busy0", ""],
  ["busy9", ""],
  ["0busy", ""],
  ["9busy", ""],
  ["abusy", ""],
  ["busya busyz", ""],
  ["busyé", ""],
  ["ßbusy", ""],
  ["\u0080busy", "down"],
  [".busy", "down"],
  ["{busy}", "down"],
  // durations
  ["waited 5 seconds", "duration"],
  ["0 ms", "duration"],
  ["9min", "duration"],
  ["0.5 s", "duration"],
  ["5 secondsx", ""],
  ["v5 seconds", ""],
  ["5 apples", ""],
  ["/5 apples", ""],
  ["5 s timeout", "duration timeout"],
  ["busy. 5 seconds timeout", "down | duration timeout"],
  ["5 s, busy", "duration | down", "down duration"],
  // ends of clauses and of their parts
  ["the busy. the denied", "down | denied"],
  ["busy.denied", "denied down"],
  ["x.busy.y.denied", "denied down"],
  ["rate.limit.exceeded", "exceeded rate"],
  ["(busy.x) denied", "down | denied"],
  ["busy. x.denied", "down | denied"],
  ["busy...denied", "down | denied"],
  ["系统繁忙.denied", "down | denied"],
  ["busy.内存不足", "down | exhausted memory"],
  ["the busy; denied! invalid? closed\ntimeout", "down | denied | invalid | state | timeout"],
  ["the busy, the denied", "down | denied", "denied down"],
  ["busy: denied", "down | denied", "denied down"],
  ["busy - denied", "down | denied", "denied down"],
  ["busy-denied", "denied down"],
  // Chinese
  ["内存不足", "exhausted memory"],
  ["ab内存不足cd", "exhausted memory"],
  ["内存不足\uFF0C系统繁忙", "exhausted memory | down", "down exhausted memory"],
  ["内存不足\u3002系统繁忙", "exhausted memory | down"],
  ["\u3040busy", "down"],
  // negations and failures
  ["valid", ""],
  ["order found", ""],
  ["not valid", "invalid negation"],
  ["not the order", "negation"],
  [`not${gap(32)}found`, "absent negation"],
  [`not${gap(33)}found`, "negation"],
  [`failed${gap(32)}found`, "absent failed"],
  [`failed${gap(33)}found`, "failed"],
  [`found${gap(32)}failed`, "absent failed"],
  [`found${gap(33)}failed`, "failed"],
  ["found denied", "denied"],
  ["no outage", ""],
  ["no outage and not busy", ""],
  ["not not denied", "negation"],
  [`no${gap(12)}outage`, ""],
  [`no${gap(13)}outage`, "down negation"],
  [`not${gap(6)}exhausted`, ""],
  [`not${gap(7)}exhausted`, "exhausted negation"],
  // words that do not describe the failure
  ["/busy/denied", ""],
  ["closed.json", ""],
  ["a.json busy", "down"],
  ["the 'closed' busy", "down"],
  ['the "closed" busy', "down"],
  ["the `closed` busy", "down"],
  ["'closed' busy", "down state"],
  ["--no-update busy", "down"],
  ["除超时错误以外", ""],
  ["access_denied", "denied right"],
  ["it is access_denied", ""],
  ["missing a_key", "needed"],
  ["log-in", "credential"]
]

/**
 * Texts that together need each step of building the index of words. They are read in the first test, because the index
 * is built once.
 */
const words: ReadonlyArray<readonly [text: string, parts: string]> = [
  ["busy", "down"],
  ["busyness", ""],
  ["denied", "denied"],
  ["rate limit exceeded", "exceeded rate"],
  ["credentialed", "credential"],
  ["order found", ""],
  ["not found", "absent"],
  ["not valid", "invalid negation"],
  ["内存不足", "exhausted memory"],
  ["ab内存不足cd", "exhausted memory"],
  ["already exists", "taken"],
  ["access denied", "denied right"]
]

describe("the clauses of a message", () => {
  it("3.1 words have roles as whole words, as stems, if they are negated, and in scripts without spaces", () =>
    assert.deepStrictEqual(
      words.map(([text]) => [text, shown(clausesOf(text).parts)]),
      words.map(([text, parts]) => [text, parts])
    ))

  for (const [text, parts, sentences = parts] of rows)
    it(`3.1 "${text}" has the roles: ${parts || "none"}`, () => {
      const clauses = clausesOf(text)
      assert.strictEqual(shown(clauses.parts), parts)
      assert.strictEqual(shown(clauses.sentences), sentences)
    })

  it("3.1 a text without words has no clauses, and the clauses of the last text are kept", () => {
    assert.deepStrictEqual(clausesOf("zz"), { parts: [], sentences: [] })
    assert.strictEqual(clausesOf("zz"), clausesOf("zz"))
    assert.notStrictEqual(clausesOf("busy"), clausesOf("zz"))
  })

  it("3.1 every role is a bit of its own", () => {
    const all: ReadonlyArray<Role> = [
      ...roles,
      "unconnected",
      "cut",
      "unavailable",
      "environment",
      "uninstalled",
      "operation"
    ]
    for (const role of all) {
      assert.deepStrictEqual(
        all.filter((other) => hasAny(rolesOf([role]), rolesOf([other]))),
        [role]
      )
      assert.isTrue(hasAll(rolesOf(all), rolesOf([role])))
      assert.isFalse(hasAll(rolesOf(all.filter((other) => other !== role)), rolesOf([role])))
      assert.deepStrictEqual(union(rolesOf(["lock"]), rolesOf([role])), rolesOf(["lock", role]))
    }
    assert.deepStrictEqual(rolesOf([]), { low: 0, high: 0 })
    // bit 31 of a number is its sign
    assert.isTrue(rolesOf(["absent", "expectation", "failed"]).low >= 0)
  })

  it("3.1 a part of a sentence is read before the whole sentence", () => {
    assert.strictEqual(read("the plan: its limit")?.name, "limit:plan")
    assert.strictEqual(read("the plan: its limit, denied")?.name, "refusal:denied")
    assert.isUndefined(read("the flux is odd"))
    assert.isUndefined(read("denied", () => false))
  })

  it("3.1 a message of the C library is recognised as a whole, in many languages", () => {
    assert.isTrue(isSystemMessage("文件名过长"))
    assert.isTrue(isSystemMessage("nome del file troppo lungo"))
    assert.isTrue(isSystemMessage("a nom de fichier trop long".slice(2)))
    assert.isFalse(isSystemMessage("nom de fichier"))
    assert.isFalse(isSystemMessage(""))
  })
})
