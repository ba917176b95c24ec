/** [2.8] A write is not retried without idempotency or reconcile. */
import { GuardedTool, Toolbox } from "effect-toolguard"
import { base, Cancel, Search } from "../tools.ts"

export class Write extends GuardedTool.Service<Write>()("write", {
  ...base,
  access: "write",
  // error: Type '{ attempts: number; }' is not assignable to type '"A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."'
  retry: { attempts: 3 }
}) {}

export class Destructive extends GuardedTool.Service<Destructive>()("destructive", {
  ...base,
  access: "destructive",
  // error: "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."
  retry: {}
}) {}

export class NoKey extends GuardedTool.Service<NoKey>()("no_key", {
  ...base,
  access: "write",
  idempotency: "none",
  // error: "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."
  retry: { attempts: 2 }
}) {}

// error: "A write is retried only with `idempotency` or `reconcile`: without them a retry may do it twice."
export const retried = Cancel.pipe(GuardedTool.retry({ attempts: 3 }))

// error: 'retry' does not exist
export const byPolicy = Cancel.pipe(GuardedTool.policy({ timeout: "1 second", retry: { attempts: 3 } }))

// error: 'times' does not exist in type 'RetryInput'
export const inBox = Toolbox.policy({ retry: { times: 3 } })(Toolbox.make(Cancel))

// error: 'times' does not exist in type 'RetryInput'
export const times = Search.pipe(GuardedTool.retry({ times: 3 }))

// error: Type '"key"' is not assignable to type '"derived"'
export const sharedKey = Toolbox.policy({ idempotency: "key" })(Toolbox.make(Cancel))

// error: Type '"none"' is not assignable to type '"derived"'
export const withoutKey = Cancel.pipe(GuardedTool.policy({ idempotency: "none" }))

export class Pressed extends GuardedTool.Service<Pressed>()("pressed", {
  ...base,
  access: "read",
  // error: Type 'number' is not assignable to type '"A read changes nothing: remove `loop.repeats`."'
  loop: { identical: 3, repeats: 3 }
}) {}
