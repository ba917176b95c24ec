/**
 * Loads the package of an optional peer when a layer is built, so that a module can be imported without it.
 *
 * A missing package fails with a sentence that names the layer, the package and the command that installs it. Any other
 * error of the import is a defect: the package is installed but broken.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A package that a layer needs is not installed. */
class PeerMissing extends Data.TaggedError("PeerMissing")<{
  readonly module: string
  readonly peer: string
  readonly cause: unknown
}> {
  override get message(): string {
    return `effect-toolguard/${this.module} needs the package ${this.peer}. Install it: npm install ${this.peer}`
  }
}

/**
 * Returns the package that an import could not find. Bundlers and other runtimes use Node's message with other quotes.
 */
const missingPackage = (cause: unknown): string | undefined =>
  cause instanceof Error
    ? /cannot find (?:package|module) ['"]((?:@[\w.-]+\/)?[\w.-]+)(?=['"/])/iu.exec(cause.message)?.[1]
    : undefined

/** Imports a module of an optional peer for `module`, such as `layers/Postgres`. */
export const load = <A>(module: string, importPeer: () => Promise<A>): Effect.Effect<A, PeerMissing> =>
  Effect.promise(importPeer).pipe(
    Effect.catchDefect((cause) => {
      const peer = missingPackage(cause)
      return peer === undefined ? Effect.die(cause) : Effect.fail(new PeerMissing({ module, peer, cause }))
    })
  )
