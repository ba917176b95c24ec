import * as Approval from "#domain/tool/Approval"
import type { Source } from "#domain/tool/PolicySources"
import { isWeakened, weaken } from "#domain/tool/PolicyWeakening"
import * as SharedApproval from "#domain/tool/SharedApproval"
import { assert, describe, it } from "@effect/vitest"

const loose = weaken(() => Approval.auto)

/** Returns the approvals of these sources, by the order in which they are added. */
const shared = (...added: ReadonlyArray<readonly [Source, Approval.SharedApproval | undefined]>) =>
  added.reduce<ReadonlyArray<SharedApproval.SourcedApproval>>(
    (approvals, [source, approval]) => SharedApproval.add(approvals, source, approval),
    []
  )

describe("SharedApproval.add", () => {
  it("2.11 the approvals are ordered from the guard to the call, and those of one source keep their order", () => {
    assert.deepStrictEqual(
      shared(["call", "auto"], ["guard", "confirm"], ["useSite", "inform"], ["toolbox", "block"], ["guard", "auto"]),
      [
        { source: "guard", approval: "confirm" },
        { source: "guard", approval: "auto" },
        { source: "toolbox", approval: "block" },
        { source: "useSite", approval: "inform" },
        { source: "call", approval: "auto" }
      ]
    )
  })

  it("2.11 a source that sets no approval changes nothing", () => {
    const approvals = shared(["guard", "confirm"])
    assert.strictEqual(SharedApproval.add(approvals, "call", undefined), approvals)
  })
})

describe("SharedApproval.decidingOf", () => {
  const guard = { source: "guard", approval: "confirm" } as const
  const toolbox = { source: "toolbox", approval: "inform" } as const
  const useSite = { source: "useSite", approval: "block" } as const
  const call = { source: "call", approval: "auto" } as const
  const loosened = (source: Source): SharedApproval.SourcedApproval => ({ source, approval: loose })

  const cases: ReadonlyArray<
    readonly [
      name: string,
      own: unknown,
      approvals: ReadonlyArray<SharedApproval.SourcedApproval>,
      deciding: ReturnType<typeof SharedApproval.decidingOf>
    ]
  > = [
    ["without approvals, the policy decides", undefined, [], { policy: true, own: false, shared: [] }],
    [
      "without a loosening, all sources decide",
      "auto",
      [guard, call],
      { policy: true, own: true, shared: [guard, call] }
    ],
    [
      "a loosening of the guard replaces only the policy",
      "confirm",
      [loosened("guard"), toolbox],
      { policy: false, own: true, shared: [loosened("guard"), toolbox] }
    ],
    [
      "a loosening of the toolbox replaces the approval of the guard, and not that of the tool",
      "confirm",
      [guard, loosened("toolbox"), useSite],
      { policy: false, own: true, shared: [loosened("toolbox"), useSite] }
    ],
    [
      "a loosening of the toolbox of a tool without approval",
      undefined,
      [guard, loosened("toolbox"), useSite],
      { policy: false, own: false, shared: [loosened("toolbox"), useSite] }
    ],
    [
      "a loosening of the use site replaces the approval of the tool",
      "confirm",
      [guard, toolbox, loosened("useSite"), call],
      { policy: false, own: false, shared: [loosened("useSite"), call] }
    ],
    [
      "the nearest of two loosenings counts",
      "confirm",
      [loosened("guard"), useSite, loosened("call")],
      { policy: false, own: false, shared: [loosened("call")] }
    ],
    [
      "a loosening of the tool replaces the farther approvals",
      loose,
      [guard, toolbox, useSite, call],
      { policy: false, own: true, shared: [useSite, call] }
    ],
    [
      "a loosening of the tool without nearer approvals decides alone",
      loose,
      [guard, loosened("toolbox")],
      { policy: false, own: true, shared: [] }
    ],
    [
      "a loosening of the tool, and only nearer approvals",
      loose,
      [useSite],
      { policy: false, own: true, shared: [useSite] }
    ],
    [
      "a loosening of the use site replaces one of the tool",
      loose,
      [guard, loosened("useSite")],
      { policy: false, own: false, shared: [loosened("useSite")] }
    ],
    ["a loosening of the tool alone", loose, [], { policy: false, own: true, shared: [] }]
  ]
  for (const [name, own, approvals, deciding] of cases) {
    it(`2.11 ${name}`, () => assert.deepStrictEqual(SharedApproval.decidingOf(own, approvals), deciding))
  }

  it("2.11 a function that `weaken` marks is a loosening, decides as before, and no other value is one", () => {
    const double = (n: number) => n * 2
    const marked = weaken(double)
    assert.deepStrictEqual([marked(4), isWeakened(marked), isWeakened(double)], [8, true, false])
    assert.deepStrictEqual(["auto", undefined, null, {}].map(isWeakened), [false, false, false, false])
  })
})
