/** Defines the engines that the tests of the agent loop run on. Each must produce the same ends, events and transcripts. */
import * as CheckpointsMemory from "#layers/CheckpointsMemory"
import * as Agent from "#src/agent/Agent"
import type { AgentEnd } from "#src/agent/AgentEnd"
import * as DurableAgent from "#src/durable/DurableAgent"
import { Effect, Layer } from "effect"
import { WebCrypto } from "effect/crypto"
import { WorkflowEngine } from "effect/workflow"
import { hash } from "node:crypto"
import type { Tool } from "../pipeline/support.ts"

export interface Engine {
  readonly name: string
  /** Runs one agent in the given context. */
  readonly run: (options: Agent.RunOptions<Tool>) => Effect.Effect<AgentEnd, never, any>
  /** Whether the caller can interrupt a run, and whether the time limit interrupts a call or a wait. */
  readonly isInterruptible: boolean
  /** Whether a run sees the loop state of earlier turns in the same process. */
  readonly remembersTurns: boolean
  /**
   * Whether calls of earlier runs have no effect on a run without a turn: it has a new conversation, or, if it is
   * durable, no state of earlier runs.
   */
  readonly makesConversations: boolean
}

/** `Agent.run`. */
export const plain: Engine = {
  name: "Agent.run",
  run: (options) => Agent.run(options),
  isInterruptible: true,
  remembersTurns: true,
  makesConversations: true
}

/** `Agent.checkpointed`, without the events of its journal. */
const journalled: Engine = {
  name: "Agent.checkpointed",
  run: ({ onEvent, ...options }) =>
    Agent.checkpointed({
      ...options,
      run: "run",
      ...(onEvent === undefined
        ? {}
        : { onEvent: (event) => (event._tag === "Checkpointed" ? Effect.void : onEvent(event)) })
    }).pipe(Effect.provide(Layer.fresh(CheckpointsMemory.layer)), Effect.orDie),
  isInterruptible: true,
  remembersTurns: true,
  makesConversations: false
}

/** Computes digests of run ids synchronously, so that tests that move the clock find the run in the expected state. */
const crypto: any = {
  subtle: { digest: (_: string, bytes: Uint8Array) => Promise.resolve(hash("sha256", bytes, "buffer")) }
}

/** A durable agent on the workflow engine in memory. It has no `interruptWhen`, and measures time from its first stored step. */
const durable: Engine = {
  name: "DurableAgent",
  run: ({ interruptWhen: _, onEvent, prompt, turn, ...options }) => {
    const agent = DurableAgent.make("Played", {
      ...options,
      pending: "answer",
      ...(onEvent === undefined ? {} : { onEvent })
    })
    return Effect.flatMap(Effect.context<any>(), (context) =>
      agent
        .execute({ run: "run", prompt, ...turn })
        .pipe(
          Effect.orDie,
          Effect.provide(
            agent.layer.pipe(
              Layer.provideMerge(WorkflowEngine.layerMemory),
              Layer.provide(Layer.succeedContext(context))
            )
          ),
          Effect.provideService(WebCrypto.WebCrypto, crypto)
        )
    )
  },
  isInterruptible: false,
  remembersTurns: false,
  makesConversations: true
}

export const engines: ReadonlyArray<Engine> = [plain, journalled, durable]
