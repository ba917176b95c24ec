/**
 * Lists the verbs that tool names begin with, by the access that they suggest.
 *
 * `compute` verbs derive a value from their arguments. `act` verbs suggest neither reading nor writing. The lists also
 * contain words that are as often nouns, which `isPlainVerb` excludes.
 */
import type { Access } from "effect-toolguard/internal/domain/tool/Access"
import { stemsOf, wordsIn } from "./EnglishWords.ts"

const set = (words: string): ReadonlySet<string> => new Set(words.trim().split(/\s+/u))

const read = set(`
  access aggregate analyse analyze answer ask assess audit autocomplete benchmark browse check classify collect compare
  contain count crawl debug describe detect determine diagnose diff discover display echo enumerate examine exist expand
  explain explore expose fetch find follow forecast geocode get give grab grep has have help identify inspect inform
  introspect investigate is know lint list listen load locate log look lookup match measure monitor notice observe obtain
  offer open outline peek ping poll populate predict present preview print probe profile provide pull query rank read
  recall receive recognise recognize recommend reference report request resolve retrieve return reveal review sample scan
  scrape screenshot search see select show sniff spot stat stream subscribe suggest summarise summarize survey tail tell
  test trace track traverse verify view wait walk watch whois`)

const compute = set(`
  abbreviate add align approximate arrange assemble average balance blend calculate calc capitalize cluster combine compose
  compress compute concat concatenate consolidate convert correlate cos crop cross decode decompress decrypt deduce
  deduplicate derive differentiate digest dilute divide embed encode encrypt enrich escape estimate eval evaluate
  exponentiate extract extrapolate factor factorial factorize filter flip format generate group gzip hash highlight
  imagine infer integrate interpolate interpret intersect invert join linearize map mask max median merge min minify mix
  multiply negate normalise normalize optimise optimize parse partition plan plot power prettify process project quantify
  randomise randomize rate redact refine render resize reverse rewrite roll rotate round sanitise sanitize scale score
  segment shorten shuffle simplify simulate sin slice solve sort split sqrt standardize stringify subtract sum synthesize
  tan think tokenize transcribe transform translate transliterate transpose trim triangulate truncate unescape ungzip unzip
  validate vectorize visualise visualize weigh zip`)

const write = set(`
  accept acknowledge activate adapt add adjust adopt allocate alter amend annotate append apply appoint approve archive
  assign associate attach authorise authorize automate backup ban bid bind block book bookmark boost borrow branch build
  bulk buy calibrate call capture change charge checkin checkout choose claim clone close cloud comment commit compile
  complete configure confirm connect copy correct create credit customise customize cut debit decline decorate decrease
  define delegate delay deliver deploy deposit derive designate dial dim disable disconnect dispatch dismount donate
  downgrade download draft draw drive drop duplicate edit email emit enable encourage end enforce enlist enqueue enrol
  enroll ensure escalate establish exchange exclude execute extend fax feature file fill finalise finalize finish fire fix
  flag flash flush fork forward freeze fulfil fulfill fund give grant handle hand handover hide hire hold host import
  include increase increment index ingest init initialise initialize initiate inject insert install instantiate invest
  invite invoice issue judge kick label launch lease lend license like link lock log login logout loan mail make manage
  mark message migrate mint mock modify mount move mute navigate nominate note notify onboard order organise organize
  override overwrite own pack paint park patch pause pay perform permit persist pick pin pipe place play pledge plug poke
  post prepare preserve press prioritise prioritize procure produce program promote propose protect protest provision
  publish purchase push put queue quit raise react reactivate rearrange reassign rebase reboot rebuild record recover
  recreate redeem redirect redo reduce refill refresh refund refuse regenerate register reinstall reject relate release
  reload relocate remind remember rename renew rent reopen reorder repair repeat replace replicate reply repost requeue
  reschedule reserve reset resize resolve respond restart restore resubmit resume retry return revert rewind ring rollback
  run save schedule seal seed sell send separate serve set settle setup share shift ship shut sign signin signup signal
  skip snooze solicit spawn speak spin stage star start stash stop store stream submit subscribe surrender suspend swap
  switch sync synchronise synchronize tag take tap terminate throttle tie toggle top touch trade train transfer transmit
  transition trigger tune turn tweet type unarchive unassign unban unblock undo unfollow unfreeze unhide unlike unlink
  unlock unmount unmute unpack unpin unprotect unregister unshare unstar unsubscribe untag update upgrade upload upsert
  vote wake wire withdraw write`)

const destroy = set(`
  abort annihilate cancel clean cleanup clear deactivate decommission delete deprecate deprovision deregister destroy detach
  discard disenroll dismiss drop empty erase evict expire expunge exterminate kill nuke obliterate prune purge remove reset
  revoke rm shred terminate trash truncate uninstall unpublish void wipe`)

const act = set(`
  act aim allow approach assist become begin bring build can chat click cloak coach come compete consult consume contact
  continue control cook crack crash dance decide delegate design develop do dream emulate engage enter evolve exercise
  exit experience face fight finish fly forget forgive glance go greet guess guide hack hear hover hunt increase instruct
  interact interview introduce invoke joke jump keep learn leave let live maintain meet mimic need negotiate operate own
  participate pass plan pose practice praise prompt prove pursue quiz reach react reason recap reflect remain research
  revise ride say scroll seek select should spell spend stay steer step stretch study summon supply support teach travel
  try understand unfold use visit wear welcome will wish work
  buscar obtener consultar crear listar eliminar actualizar enviar calcular generar leer guardar
  obtenir chercher rechercher lister supprimer envoyer suchen holen erstellen senden anzeigen`)

const isIn = (verbs: ReadonlySet<string>, word: string): boolean => stemsOf(word).some((stem) => verbs.has(stem))

const base = [read, compute, write, destroy, act]

/** True if a word is a verb in its base form. */
export const isVerb = (word: string): boolean => base.some((verbs) => verbs.has(word))

/** Verbs that are hardly ever nouns in tool names. */
const plain = set(`
  add append build calculate check compute connect convert create decode delete deploy describe detect disable download
  edit enable encode execute explain extract fetch find generate get initialize insert install list load login logout modify move open
  parse publish read remove rename replace reset resolve retrieve run save search select send set show sort start stop
  submit summarize sync toggle translate update upload validate verify write`)

/** True if a word is a verb and hardly ever a noun. */
export const isPlainVerb = (word: string): boolean => plain.has(word)

/** Returns the access that a verb suggests, or `undefined`. A verb in two lists suggests the more dangerous access. */
export const accessOf = (word: string): Access | undefined => {
  if (isIn(destroy, word)) return "destructive"
  if (isIn(write, word)) return "write"
  return isIn(read, word) || isIn(compute, word) ? "read" : undefined
}

/** True if a verb derives a value from its arguments: `generate`, `summarize`. */
export const isComputing = (word: string): boolean => isIn(compute, word) && !isIn(destroy, word)

const beforeVerbs = set(`
  to can will may and or then by automatically also not only it this that which tool function endpoint method api command
  call service request operation`)

/** True if a verb of a text suggests an access, or if a sentence begins with a word that can only be a verb. */
export const saysAccess = (text: string): boolean =>
  text.split(/[.!?:;\n"“”()]+/u).some((sentence) => {
    if (isImperative(sentence)) return true
    const words = wordsIn(sentence)
    return words.some((word, index) => {
      const before = words[index - 1] ?? ""
      const isVerbal = index === 0 || before.endsWith("ly") || beforeVerbs.has(before) || isPlainForm(word)
      return isVerbal && accessOf(word) !== undefined
    })
  })

/** The words that can precede `the` or `a` and are not verbs. */
const functional = set(`
  a an the this that these those it its there here is are was be for in on at of from with by as all any each every both
  not only and or if when where which who what how to per after before about between over under into using via you your
  we our they their he she given based including such than`)

/**
 * True if a sentence begins with a word that can only be a verb, even if the lists do not contain it: `Preheats the
 * oven`.
 */
const isImperative = (sentence: string): boolean => {
  const [first = "", second = ""] = wordsIn(sentence)
  return determiners.has(second) && !functional.has(first)
}

const determiners = set("the a an all one your this any some multiple several each every")

const isPlainForm = (word: string): boolean => isIn(plain, word)

/** Returns the plain verb at the start of a compound such as `getuser`. */
export const leadingPlainVerb = (word: string): string | undefined =>
  [...plain].find((verb) => word.startsWith(verb) && word.length >= verb.length + 3)
