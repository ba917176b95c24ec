/** Messages of git: `fatal:`, `error:`, rejected pushes, conflicts, and responses of the remote. */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose, unknownHost, weak } from "#domain/classification/codes/Diagnosis"

export const git: ReadonlyArray<Phrase> = [
  phrase("git:lock", diagnose("lock_conflict"), [
    /\.lock': file exists/,
    /another git process seems to be running/,
    /\bcannot lock ref\b/,
    /\bunable to (?:create|lock)[^\n]{0,200}\.lock\b/
  ]),
  phrase("git:network", diagnose("connection_lost"), [
    /\bthe remote end hung up\b/,
    /^fatal: early eof\b/,
    /\bindex-pack failed\b/,
    /\bunexpected disconnect while reading sideband\b/,
    /\brpc failed;/
  ]),
  phrase("git:host", unknownHost, [/\bunable to access '[^'\n]{1,300}': could not resolve (?:host|proxy)\b/]),
  phrase("git:auth", diagnose("unauthorized"), [
    /\bpermission denied \((?:publickey|password)/,
    /\bauthentication failed for '/,
    /\bcould not read (?:username|password) for\b/,
    /\bhost key verification failed\b/,
    /\bterminal prompts disabled\b/,
    /\binvalid username or (?:password|token)\b/,
    /\bpermission to [^\n]{1,100} denied to\b/,
    /\bremote: write access to repository not granted\b/
  ]),
  phrase("git:safe-directory", diagnose("misconfigured"), [
    /\bdetected dubious ownership\b/,
    /\bplease tell me who you are\b/,
    /\bempty ident name\b/,
    /\bunable to auto-detect email\b/,
    /\bbad config (?:line|file|value)\b/,
    /\bno name was given and auto-detection is disabled\b/
  ]),
  phrase("git:repository", diagnose("unknown_reference"), [
    /\brepository not found\b/,
    /\bdoes not appear to be a git repository\b/,
    /^fatal: (?:not a git repository|repository '[^'\n]{1,300}' (?:not found|does not exist))/,
    /\bcould not read from remote repository\b/
  ]),
  phrase("git:local-changes", diagnose("wrong_state"), [
    /\bwould be overwritten by (?:checkout|merge|pull|rebase|cherry-pick)\b/,
    /\bplease commit your changes or stash them\b/,
    /\bcannot (?:rebase|pull with rebase): (?:you have|your index)\b/,
    /\byou have not concluded your merge\b/,
    /\bmerging is not possible because\b/,
    /\byou need to resolve your current index first\b/,
    /\ba (?:cherry-pick|revert|rebase|merge) (?:or \w+ )?is (?:already )?in progress\b/
  ]),
  phrase("git:conflict", diagnose("conflicting_value"), [
    /^conflict \([\w/ -]{3,30}\): /,
    /\bautomatic merge failed\b/,
    /\bunresolved conflict\b/,
    /\bcould not apply [0-9a-f]{6,40}\b/,
    /\bpatch failed: /,
    /\bpatch does not apply\b/
  ]),
  phrase("git:rejected", diagnose("conflicting_value"), [
    /! \[(?:remote )?rejected\]/,
    /\bfailed to push some refs\b/,
    /\bupdates were rejected because\b/
  ]),
  phrase("git:nothing-to-do", diagnose("invalid_request"), [
    /\bnothing to commit\b/,
    /\bnothing added to commit\b/,
    /\bno changes added to commit\b/,
    /\bnothing specified, nothing added\b/,
    /\bno local changes to save\b/,
    /\beverything up-to-date\b/
  ]),
  phrase("git:exists", diagnose("conflicting_value"), [
    /^(?:fatal|error): (?:[^\n]{1,200}) already (?:exists|checked out|used by worktree)\b/,
    /^fatal: '[^'\n]{1,200}' is already (?:checked out|used)\b/
  ]),
  phrase("git:reference", diagnose("unknown_reference"), [
    /\bdid not match any file\(s\) known to git\b/,
    /\bnot something we can merge\b/,
    /\b(?:unknown|bad) revision\b/,
    /\bsrc refspec [^\n]{1,200} does not match any\b/,
    /\bcouldn't find remote ref\b/,
    /^(?:fatal|error): (?:not a valid object name|invalid (?:reference|object name|upstream)|bad object|no such (?:remote|ref|branch)|pathspec|needed a single revision|path '[^'\n]{1,300}' (?:does not exist|exists on disk)|ambiguous argument|branch '|remote branch|no names found)/
  ]),
  phrase("git:command", diagnose("invalid_request"), [
    /^git: '[^'\n]{1,80}' is not a git command/,
    /^usage: git\b/,
    /^error: (?:unknown (?:option|switch)|switch|option)\b/
  ]),
  phrase("git:upstream", diagnose("invalid_request"), [
    /\bhas no upstream branch\b/,
    /\bno configured push\b/,
    /\bno upstream configured\b/,
    /\bthere is no tracking information for\b/,
    /\bdoes not have any commits yet\b/,
    /\brefusing to (?:merge unrelated|fetch into|delete|update checked out)\b/,
    /\bis not fully merged\b/
  ]),
  // Git's other fatal errors mostly name an argument.
  phrase("git:fatal", weak(diagnose("invalid_request")), [/^fatal: (?! )/])
]
