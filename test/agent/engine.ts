/**
 * What the scripts of the agent are played with: `Agent.run`; with `AGENT_ENGINE=journal` a run with a journal; with
 * `AGENT_ENGINE=workflow` a durable agent on the engine in memory (`test/durable/agent.test.ts` starts the suites again with it).
 */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Effect, Layer } from "effect"
import { WebCrypto } from "effect/crypto"
import { WorkflowEngine } from "effect/workflow"
import { hash } from "node:crypto"
import type { Tool } from "../pipeline/support.ts"

const engine = process.env["AGENT_ENGINE"]
export const isWorkflow = engine === "workflow"

/** Digests of runs' ids without another thread: tests that move the clock find the run where it would be. */
const crypto: any = {
  getRandomValues: (values: Uint8Array) => globalThis.crypto.getRandomValues(values),
  subtle: { digest: (_: string, bytes: Uint8Array) => Promise.resolve(hash("sha256", bytes, "buffer")) }
}

/** A run of one agent in the given context. */
export const run = (options: Agent.RunOptions<Tool>): Effect.Effect<AgentEnd, never, any> =>
  isWorkflow ? durably(options) : engine === "journal" ? journaled(options) : Agent.run(options)

/** The same with a journal; what it tells of the journal itself is left out. */
const journaled = ({ onEvent, ...options }: Agent.RunOptions<Tool>): Effect.Effect<AgentEnd, never, any> =>
  Agent.checkpointed({
    ...options,
    run: "run",
    ...(onEvent === undefined
      ? {}
      : { onEvent: (event) => (event._tag === "Checkpointed" ? Effect.void : onEvent(event)) })
  }).pipe(Effect.provide(Layer.fresh(CheckpointsMemory.layer)), Effect.orDie)

const durably = ({ interruptWhen: _, onEvent, prompt, turn, ...options }: Agent.RunOptions<Tool>) => {
  const agent = DurableAgent.make("Played", {
    ...options,
    pending: "answer",
    ...(onEvent === undefined ? {} : { onEvent })
  })
  return Effect.flatMap(Effect.context<any>(), (context) =>
    agent
      .execute({ run: "run", prompt, ...turn })
      .pipe(
        Effect.provide(
          agent.layer.pipe(Layer.provideMerge(WorkflowEngine.layerMemory), Layer.provide(Layer.succeedContext(context)))
        ),
        Effect.provideService(WebCrypto.WebCrypto, crypto)
      )
  )
}
