/** Tests the sessions of the inbox and of their form tokens. */
import {
  type Session,
  type Sessions,
  formToken,
  isFormToken,
  lifetimeMillis,
  make
} from "#layers/internal/inbox/Sessions"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"

const tokenOf = (text: string) => Redacted.make(text)
const opened = (sessions: Sessions, token: Redacted.Redacted, approver = "Ana") =>
  Effect.runSync(sessions.open(approver, token, 0))
const textOf = (session: Session | undefined) => session && Redacted.value(session.token)

describe("the inbox's sessions", () => {
  it("10.3 end after eight hours, or when they are closed", () => {
    const sessions = make()
    const [first, second] = [opened(sessions, tokenOf("Ana")), opened(sessions, tokenOf("Ben"))]
    assert.match(first, /^[0-9a-f]{32}$/)
    assert.strictEqual(textOf(sessions.find(first, lifetimeMillis - 1)), "Ana")
    assert.isUndefined(sessions.find(first, lifetimeMillis))
    assert.isUndefined(sessions.find(first, 0)) // an expired session is removed
    sessions.close(second)
    assert.deepStrictEqual(
      [sessions.find(second, 0), sessions.find(undefined, 0), sessions.find("", 0)],
      [undefined, undefined, undefined]
    )
  })

  it("10.3 are limited to a hundred for each approver: the approver's oldest sessions end first, and other approvers' stay open", () => {
    const sessions = make()
    const other = opened(sessions, tokenOf("Ben"), "Ben")
    const cookies = Array.from({ length: 1_001 }, (_, n) => opened(sessions, tokenOf(String(n))))
    const open = cookies.flatMap((cookie) => textOf(sessions.find(cookie, 0)) ?? [])
    assert.deepStrictEqual(
      open,
      Array.from({ length: 100 }, (_, n) => String(n + 901))
    )
    assert.strictEqual(textOf(sessions.find(other, 0)), "Ben")
  })

  it("10.3 have separate form tokens for each purpose", () => {
    const sessions = make()
    const [one, two] = [0, 1].map(() => sessions.find(opened(sessions, tokenOf("Ana")), 0)) as [Session, Session]
    assert.isTrue(isFormToken(one, "decide 1", formToken(one, "decide 1")))
    for (const token of [
      formToken(one, "decide 2"),
      formToken(two, "decide 1"),
      "",
      formToken(one, "decide 1").slice(1)
    ])
      assert.isFalse(isFormToken(one, "decide 1", token))
  })
})
