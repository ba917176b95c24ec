/** Messages of shells, coreutils, ssh, tar, make, compilers and process runners. The messages of `strerror` are in `Strerror.ts`. */
import { type Phrase, phrase } from "./Phrase.ts"
import { diagnose, type Diagnosis, unknownHost, weak } from "#domain/classification/codes/Diagnosis"

export const shell: ReadonlyArray<Phrase> = [
  phrase("shell:spawn", diagnose("missing_software"), [
    /\bspawn(?:sync)? [^\n]{1,200} enoent\b/,
    /\bexecutable file not found\b/,
    /\bbad interpreter: /,
    /^env: [^\n]{1,100}: no such file or directory/,
    /\bcannot execute: required file not found\b/
  ]),
  phrase("shell:command", diagnose("missing_software"), [
    /\bcommand not found\b/,
    /^(?:sh|dash|\/bin\/sh)(?:: \d{1,6})?: [^\n:]{1,80}: not found$/,
    /\bis not recognized as an internal or external command\b/,
    /\bis not recognized as (?:the|a) name of a cmdlet\b/,
    /\bcommand '[^'\n]{1,80}' not found\b/
  ]),
  phrase("shell:library", diagnose("missing_software"), [
    /\berror while loading shared libraries\b/,
    /\bcannot open shared object file\b/,
    /\bversion [`'"]?glibc\w*[^\n]{1,40} not found\b/,
    /\blibrary not loaded\b/
  ]),
  phrase("shell:syntax", diagnose("invalid_request"), [
    /\bsyntax error near unexpected token\b/,
    /\bsyntax error: unexpected\b/,
    /\bunexpected eof while looking for\b/,
    /\bunterminated (?:quoted string|address regex|`s' command)\b/,
    /\bbad substitution\b/,
    /\bambiguous redirect\b/,
    /\bsyntax error: (?:operand|invalid|unterminated)\b/,
    /\bwarning: here-document\b/
  ]),
  phrase("shell:usage", diagnose("invalid_request"), [
    /\b(?:unrecognized|invalid|unknown|illegal|ambiguous) (?:option|flag|switch|shorthand flag|predicate|command-line option|subcommand|command)\b/,
    /\boption [^\n]{1,60} is (?:unknown|ambiguous)\b/,
    /\brequires (?:a )?parameter\b/,
    /\bmissing (?:\w{1,20} )?operand\b/,
    /\bmissing destination file\b/,
    /\boption requires an argument\b/,
    /\btoo (?:many|few) arguments\b/,
    /\bextra operand\b/,
    /\btry '[^'\n]{1,60} --help' for more\b/,
    /^usage: /,
    /\bthe following arguments are required\b/,
    /\binvalid choice: /,
    /\bnumeric argument required\b/,
    /\binteger expression expected\b/,
    /\bnot a valid identifier\b/,
    /\bvalue too great for base\b/,
    /\bdivision by 0 \(error token\b/,
    /\bnot enough arguments\b/,
    /\bnot all arguments converted\b/
  ]),
  phrase("shell:value", diagnose("invalid_request"), [
    /\bmissing (?:closing|terminating|unescaped) \w/,
    /\bunexpected newline\b/,
    /\binvalid (?:date|number|mode|user|group|line count|time interval|byte count|field|signal|regular expression|character class|range end|suffix|spec|count)\b/,
    /\bunmatched (?:\[|\(|'|")/,
    /\bunbalanced parenthes[ie]s\b/,
    /\bare the same file\b/,
    /\bcannot (?:copy|move) [^\n]{1,200} (?:into itself|to a subdirectory of itself)\b/,
    /\bomitting directory\b/,
    /\bunbound variable\b/,
    /\breadonly variable\b/
  ]),
  phrase("shell:missing", diagnose("unknown_reference"), [
    /\bcannot (?:stat|access|open) '[^'\n]{1,300}': no such\b/,
    /\bcan't cd to\b/,
    /\bno rule to make target\b/,
    /\bjob not found\b/,
    /\bno such job\b/,
    /\bevent not found\b/,
    /\bno such user\b/,
    /\bunknown user\b/
  ]),
  phrase("shell:killed", diagnose("out_of_memory"), [
    /^(?:[^\n]{0,80}: )?(?:line \d+: +\d+ )?killed(?:\s[^\n]{0,200})?$/,
    /\bsignal: killed\b/,
    /\boomkilled\b/,
    /\bexit code 137\b/,
    /\bkilled process \d+\b/,
    /\bsigkill\b/
  ]),
  phrase("shell:fork", diagnose("too_many_open"), [
    /\bfork: (?:retry: )?(?:resource temporarily unavailable|cannot allocate memory)\b/,
    /\bno child processes\b/,
    /\bcan't start new thread\b/,
    /\bunable to create new native thread\b/,
    /\bpthread_create failed\b/,
    /\bthread limit\b/
  ]),
  phrase("shell:ssh-host", unknownHost, [/\bcould not resolve hostname\b/]),
  phrase("shell:ssh", diagnose("connection_lost"), [
    /\bkex_exchange_identification\b/,
    /\bconnection closed by (?:remote host|\d|unknown)/,
    /\bssh_exchange_identification\b/,
    /\bconnection to [^\n]{1,100} closed by remote host\b/,
    /\bclient_loop: send disconnect\b/,
    /\btimeout, server [^\n]{1,100} not responding\b/
  ]),
  phrase("shell:ssh-auth", diagnose("unauthorized"), [
    /\bpermission denied \(/,
    /\bhost key verification failed\b/,
    /\btoo many authentication failures\b/,
    /\bremote host identification has changed\b/,
    /\bunprotected private key file\b/,
    /\bsudo: a (?:password|terminal) is required\b/,
    /\bis not in the sudoers file\b/,
    /\bno tty present and no askpass\b/,
    /\bmust be run as root\b/,
    /\bare you root\b/,
    /\byou need to be root\b/,
    /\brequires? (?:root|superuser|administrator) (?:privileges?|permissions?|rights|access)\b/
  ]),
  phrase("shell:cut", diagnose("body_cut"), [
    /\bunexpected end of (?:file|archive|input stream|data stream)$/,
    /\bunexpected eof$/,
    /\bended before the end\b/,
    /\b(?:data|stream|file|archive|input|body) (?:was|is) truncated\b/,
    /\bpremature end of\b/,
    /\bincomplete or truncated stream\b/,
    /\bend of central directory\b[^\n]{0,40}not found/,
    /\btruncated (?:tar|zip|gzip|file|archive)\b/,
    /\bran out of input\b/
  ]),
  phrase("shell:format", diagnose("invalid_request"), [
    /\bnot in (?:gzip|bzip2|xz) format\b/,
    /\bdoes not look like a tar archive\b/,
    /\bincorrect header check\b/,
    /\bnot a (?:gzipped|zip|bzip2|tar) file\b/,
    /\bfile is not a zip\b/,
    /\bunsupported archive\b/,
    /\binvalid data found when processing\b/,
    /\bcannot identify image file\b/,
    /\bcorrupt(?:ed)? (?:zip|archive|patch|image)\b/
  ]),
  phrase("shell:crash", diagnose("tool_crashed"), [
    /\bsegmentation fault\b/,
    /\bcore dumped\b/,
    /\bbus error\b/,
    /\billegal instruction\b/,
    /\baborted \(core\b/,
    /\bdumped core\b/,
    /\bassertion (?:`[^'\n]{1,200}' )?failed\b/
  ])
]

/** Maps the exit code of a process to its diagnosis. */
export const exitCodes: Readonly<Record<number, Diagnosis>> = {
  2: weak(diagnose("invalid_request")),
  124: diagnose("timeout"),
  126: diagnose("unauthorized"),
  127: diagnose("missing_software"),
  134: diagnose("tool_crashed"),
  137: diagnose("out_of_memory"),
  139: diagnose("tool_crashed"),
  143: diagnose("timeout")
}
