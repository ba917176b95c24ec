/**
 * What every provider's model layer promises, whatever its protocol (SPEC 9.2, 11.3).
 *
 * Each test runs against a real server on loopback that speaks the protocol, so all of them are `it.live`. What a provider
 * sends, and what else it reads, is tested beside its layer.
 */
import { answerContract } from "./provider/answers.ts"
import { failureContract } from "./provider/failures.ts"
import { requestContract } from "./provider/requests.ts"
import { streamContract } from "./provider/streams.ts"
import type { Subject } from "./provider/Subject.ts"

export const providerContract = <Body>(subject: Subject<Body>): void => {
  answerContract(subject)
  requestContract(subject)
  failureContract(subject)
  streamContract(subject)
}
