/**
 * Tests that every provider's model layer must pass, for any protocol [9.2, 11.3].
 *
 * Each test is `it.live`, because it runs against a real server on loopback that implements the protocol. The details of each
 * protocol are tested with its layer.
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
