/**
 * Recognises a sentence whose main statement is that the request failed: `The branch is protected and cannot be pushed
 * to.`, `Parameter limit must be between 1 and 100.`, `Das Konto wurde nicht gefunden.`
 *
 * **Details**
 *
 * - The statement counts, not a single word. No failure is stated by a question, a definition, a condition, a report of
 *   what a person did, a sentence that first says what was done, or one that says that nothing was found.
 * - A short answer states a failure if its first sentence does, and if what follows explains it or gives advice.
 */

/** The longest sentence, in characters. */
const longestSentence = 300

/** The longest answer that is read as sentences, in characters. */
const longestAnswer = 700

const anyOf = (flags: string, ...forms: ReadonlyArray<RegExp>): RegExp =>
  new RegExp(forms.map(({ source }) => source).join("|"), flags)

/**
 * The beginning of a sentence about the request itself, or to the caller: `You do not have`, `Cannot read`, `The token`. The
 * states of other things (`Flight LH123 has been cancelled.`) are data.
 */
const refusal = anyOf(
  "i",
  /^you (?:do not|don['’]t|are not|aren['’]t|cannot|can['’]t|must|need|have (?:no|not|exceeded|reached))\b/,
  /^your (?:request|credentials|token|api key|session|plan|quota|access|subscription)\b/,
  /^(?:we|i) (?:could|can|do|did|was|were)(?: ?not|n['’]t)\b|^(?:could|can) ?not\b|^(?:can|could)n?['’]t\b|^(?:unable|failed) to\b/,
  /^(?:access|permission|authori[sz]ation|authentication|unauthori[sz]ed|forbidden)\b/,
  /^(?:invalid|malformed|missing|unknown|unsupported|unrecogni[sz]ed|unexpected) (?:\w+ ){0,2}(?:requests?|parameters?|arguments?|tokens?|credentials|keys?|values?|inputs?|json|formats?|fields?|propert(?:y|ies)|options?|methods?|tools?)\b/,
  /^(?:the )?(?:request|parameter|argument|token|api key|credentials|rate limit|quota|input|query parameter)s?\b/
)

const apology = /^(?:i['’]m |we['’]re )?(?:sorry|apologies),? (?:but )?/i

/** True if a sentence is about the request, or says to the caller what is not possible. */
export const isRefusal = (sentence: string): boolean => refusal.test(sentence.trim().replace(apology, ""))

/** Predicates of failures in English. */
const english = anyOf(
  "i",
  // negations of the main verb
  /\b(?:can|could|do|does|did|is|are|was|were|has|have|had|wo|would|may|must|should|will|am)(?:n['’]t| not|not)\b|\bcannot\b|\bnever (?:answered|finished|returned|started)\b/,
  /\b(?:unable|failed|fails|refused|forgot) to\b|\brefused (?:the|by|because)\b|\b(?:failed|failure|fails)\b|\b(?:not|nothing|nobody) (?:\w{3,14} )?(?:found|allowed|permitted|authori[sz]ed|supported|available|accepted|configured|defined|valid|recogni[sz]ed|installed|delivered|enabled|implemented|possible|exist\w*|unique|booked|null|set|applicable|ready|enough|visible|executable|readable|writable|connected|registered|running|loaded|met|active)\b/,
  /\b(?:no|none) (?:such|longer|more|valid|matching|suitable|default|provider|handler|function clause|chain|replica|rule|permission|access|route|space)\b|\bno [\w/ -]{2,40} (?:by that name|to (?:make|host|handle)|called|named|left|specified|with|was|were|for|given|configured|met|matching|provided)\b/,
  // states
  /\b(?:invalid|illegal|malformed|unknown|undefined|unrecogni[sz]ed|unsupported|unauthori[sz]ed|forbidden|unavailable|unreachable|unexpected(?:ly)?|unresolved|unterminated|unhandled|uncaught|unreadable|inaccessible|insufficient|incorrect|incompatible|inconsistent|ambiguous|corrupt(?:ed)?|missing|mismatch(?:ed)?|unsuccessful|duplicated?|nonexist\w+|non-exist\w+|inexistent)\b/,
  /\b(?:denied|declined|rejected|disallowed|prohibited|expired|exhausted|exceed(?:s|ed|ing)?|overloaded|throttled|aborted|crashed|terminated|killed|interrupted|cancel?led|suspended|deactivated|revoked|banned|violat(?:es?|ed|ion)|conflict(?:s|ed|ing)?|out of (?:\w+ )?(?:memory|range|bounds|stock|space|paper|quota|credits?|date|sync|resources)|offline|panicked|dropped|deadlock|segmentation fault|core dumped|broken (?:pipe|dag)|bad (?:request|gateway|credentials|function|address|file|parameter|argument|interpreter|substitution|value|response)|wrong (?:number|type|argument|password|format|value|order|version)|stale|reset by)\b/,
  /\b(?:was|is|are|were|been|be|got|being) (?:\w{3,12} )?(?:refused|closed|locked|blocked|disabled|protected|paused|reached|lost|removed|stopped|used by|held by|taken|called on null|wrong|required|null|empty string|busy|full|invalidated|deprecated and removed)\b|\b(?:currently|already) (?:holding|loading|in use|being|locked|taken|used|exists?|been|registered|in progress|closed|paid|open|subscribed|assigned|processed|allocated|defined)\b/,
  /\b(?:connection|link|link state|request|operation|command|query|call|process|task|lock|file|device|socket|server|stream|session|limit|quota) (?:\w{2,12} )?(?:closed|refused|lost|reset|reached|busy|timeout|limit reached|limit)\b|\btime(?:d)?[- ]?out\b|\b(?:limit|maximum|quota)\b.{0,60}\breached\b|\breached (?:the|its|your|their) (?:\w+ ){0,3}(?:limit|maximum|quota)|\btoo (?:many|long|large|short|small|big|late|early|old|low|high|few|deep|complex|wide|slow|weak|young|frequent\w*|broad|recent)\b|\b(?:shorter|longer|greater|less|larger|smaller|higher|lower|older|fewer|more) than (?:the )?(?:max|min|allowed|permitted|expected|limit)\w*/,
  // rules that the request broke
  /\bmust (?:be|not|match|start|end|contain|specify|provide|have|supply|pass|include|satisfy|exist|use|set|define)\b|\bshould (?:be|match|contain|have|not)\b|\b(?:is|are|was) (?:\w+ )?(?:required|expected|mandatory|needed)\b|\brequires? (?:the |an? |at least |that )\b|\bexpected\b.{0,120}\b(?:got|but|found|received|instead|actual|was|given|exactly|at)\b|\bexpect(?:ed|ing) (?:an?|the|one|exactly|EXTERNAL|type|\w+ to)\b|\bonly (?:supports?|allows?|accepts?|one|the)\b|^(?:required|expected)\b|\bat (?:least|most) \w+ [\w ]{1,30}(?:required|expected|allowed)\b/,
  /\b(?:command|page|module|file|package|symbol|method|function|class|object|resource|variable|user|host|name|key|column|table|type|record|endpoint|route) not (?:found|known|accessible|specified)\b|\bnot (?:a|an|the|in|of|enough|on|part|your|sure) \w+|\bis neither\b|\bread[- ]only file ?system\b|\bpermission denied\b|\bsyntax error\b|\bparse error\b|\btype mismatch\b|\b(?:internal|server|network|runtime|unexpected|unknown|unrecoverable|fatal|general|system|i\/o|disk|validation|parsing|fatal|connection|authentication|protocol|dns|tls|ssl|certificate|database|api|params?|request|input|data|lookup|transport|payment|crash) (?:\w{3,14} )?(?:error|errors|failure|exception|fault|report)\b|\b(?:an?|one|some|this|following|last) (?:\w+ ){0,2}(?:error|errors|exception|problem|failure) (?:occurred|has|was|while|during|happened|found|detected|in|on)\b|\berror(?:ed)? (?:in|at|on|while|when|during|code|message|status|occurred|after|#|0x)/,
  /\b(?:there (?:was|is) an? (?:error|problem|issue) (?:\w+ing|with|in|while|when)|went wrong|gone wrong|is wrong|giving up|no reply|no response|no answer|no connection|could be (?:wrong|invalid)|make sure|please (?:enter|provide|specify|contact|check|log|sign|re-?authenticate|ensure|try again|use a|retry|supply|select|choose|wait|upgrade)|try again|does not have|lacks?|identical to the existing|not a number|being used|used by another|unlock first|would (?:exceed|overwrite|violate)|in most cases)\b/
)

/** Predicates of failures in other languages that separate words. */
const european = anyOf(
  "iu",
  /(?<!\p{L})(?:nicht (?:\p{L}+ ){0,2}(?:gefunden|erlaubt|gestattet|möglich|verfügbar|erreichbar|unterstützt|überein|gültig|genug|vorhanden|zulässig|installiert|geöffnet|bekannt|lesbar|entfernen|berechtigt)|(?:konnten?|kann|kannst|können|darf|dürfen|wurden?|ist|sind|stimmt|hat|haben|hast|gibt|existiert|muss|fehlt)(?!\p{L})[^.!]{0,90}(?<!\p{L})(?:nicht|kein\p{L}*|falsch|ungültig\p{L}*|abgelehnt|verweigert|unterbrochen|abgebrochen|überschritten|gesperrt|abgelaufen|zu (?:lang|kurz|groß|klein|viele)|erreicht|erwartet|mindestens|höchstens|sein)|ungültig\p{L}*|fehlgeschlagen|verweigert|abgelehnt|überschritten|abgelaufen|zugriffsfehler|speicherzugriffsfehler|(?:schon|bereits) (?:verwendet|vergeben|vorhanden|belegt|registriert)|erwartet|unbekannte[rsn]?|fehlende[rsn]?|fehler)(?!\p{L})/u,
  /(?<!\p{L})(?:no (?:se (?:encontr|pud|ha|puede|permit)\p{L}*|existe|es (?:v[áa]lid\p{L}*|posible|correct\p{L}*)|tienes?|tiene|ha sido|est[áa]|puede\p{L}*|autorizad\p{L}*|encontrad\p{L}*|v[áa]lid\p{L}*|disponible)|inv[áa]lid[oa]s?|denegad[oa]s?|rechazad[oa]s?|fall[óo]|(?:tuvimos|hubo|ocurri[óo]) un (?:problema|error)|caducad[oa]|expirad[oa]|excedid[oa]|prohibid[oa]|incorrect[oa]s?|ya existe|faltan?|debe (?:\p{L}+[aei]r)|requiere|obligatori[oa])(?!\p{L})/u,
  /(?<!\p{L})(?:introuvables?|refusée?s?|invalides?|incorrecte?s?|impossible|n['’](?:est|a|avez|ont|existe|êtes|ai|était|y a)\p{L}* (?:pas|plus|aucun)|ne (?:peut|peuvent|sont|doit|correspond\p{L}*|répond\p{L}*) pas|échoué?e?s?|échec|expirée?s?|trop (?:volumineux|long|longue|grand|court|petit)\p{L}*|dépassée?s?|interdite?s?|erreur (?:du|de|lors|interne|serveur|inconnue)|manquante?s?|obligatoires?|existe déjà)(?!\p{L})/u,
  /(?<!\p{L})(?:não (?:foi|é|existe|pode|está|tem|encontrad\p{L}*|autorizad\p{L}*|permitid\p{L}*|conseguiu|disponível)|inválid[oa]s?|negad[oa]|recusad[oa]|falh(?:a|ou) (?:ao|na|no|em)|falhou|já (?:está sendo|existe|foi)|obrigatóri[oa]|non (?:esiste|è (?:\p{L}+ )?(?:valid|trovat|stat|possibil|disponibil|consentit|autorizzat)\p{L}*|trovat\p{L}*|valid\p{L}*|può|hai|autorizzat\p{L}*|disponibil\p{L}*)|impossibile|negato|rifiutat\p{L}*|scadut[oa]|obbligatori[oa])(?!\p{L})/u,
  /(?<!\p{L})(?:niet (?:gevonden|toegestaan|beschikbaar|geldig|mogelijk)|(?:kan|kon|is|zijn) niet|ongeldige?|mislukt|geweigerd|verlopen|bestaat (?:niet|al)|nie (?:znaleziono|można|udało|istnieje|ma|masz)|nieprawidłow\p{L}*|odmow\p{L}*|odrzucon\p{L}*|wygas\p{L}*|brak (?:dostępu|uprawnień)|bulunamadı\p{L}*|geçersiz|başarısız|reddedildi|yapılamadı|süresi doldu|nenalezen\p{L}*|neplatn\p{L}*|hittades inte|ikke (?:fundet|funnet|tilladt|tillatt)|ogiltig\p{L}*|ugyldig\p{L}*|không (?:tìm|thể|hợp|tồn)|tidak (?:ditemukan|valid|dapat|ada|diizinkan)|gagal)(?!\p{L})/u,
  /не (?:найден|удалось|удается|существует|может|могут|поддерж|указан|доступ|явля|имеете|разреш|правильн)|запрещ|отказано|отклон|недейств|неверн|истек|истёк|превыш|недостаточно|невозможно|уже существует|не знайдено|помилка|ошибка/
)

/** Predicates of failures in languages that do not separate words, and of other scripts. */
const eastern =
  /不存在|失败|失敗|错误|錯誤|无效|無效|不足|拒绝|拒絕|超时|逾時|无法|無法|未找到|找不到|未定义|未定義|未登录|未授权|必须|必須|不支持|不支援|不允许|不允許|禁止|过期|過期|超出|超过|超過|异常|異常|缺少|不正确|不正確|无权|無權|没有权限|不可用|出错|繁忙|非法|已存在|已被|不可为空|不能为空|受限|限制|見つかりません|できません|できなかった|エラー|タイムアウト|拒否|不正な|存在しません|必要です|必須です|ありません|期限切れ|超えて|無効|없습니다|찾을 수 없|실패|오류|잘못|유효하지|거부|초과|만료|필요합니다|نامعتبر|خطا|یافت نشد|نیست|نشد|خطأ|فشل|غير (?:صالح|موجود|مسموح)|ไม่พบ|ไม่ถูกต้อง|अमान्य|नहीं/u

/** Reports of work that was done, and states in which all is well. */
const success =
  /(?<!\bto (?:be )?)(?<!\bnot (?:be |been )?)(?<!n['’]t (?:be |been )?)\b(?:created|saved|sent|updated|deleted|removed|added|moved|copied|uploaded|downloaded|installed|deployed|scheduled|booked|issued|published|restarted|started|fixed|resolved|merged|imported|exported|completed|succeeded|success(?:ful(?:ly)?)?|granted|done|finished|is active|is running|are running|edited|modified|written|applied|replaced|up to date|ok(?!['"]?\s*[:=])|okay|healthy|passed)\b|(?:wurden?|fue(?:ron)?|a été|foi|è stat[oa]) (?:\p{L}+ )?(?:angelegt|erstellt|aktualisiert|gespeichert|gesendet|gelöscht|hinzugefügt|cread\p{L}*|actualizad\p{L}*|enviad\p{L}*|guardad\p{L}*|eliminad\p{L}*|créée?|envoyée?|enregistrée?|criad\p{L}*|creat\p{L}*)|成功|已创建|已添加|已更新|已删除|已保存|已发送|作成しました|更新しました|完了|생성되었|완료|создан|успешно|сохранен|обновлен/iu

/** Sentences that deny a failure, or say that an answer is empty. */
const harmless =
  /\b(?:no|zero|without(?: any)?|0) (?:\w+ )?(?:errors?|failures?|problems?|issues?|conflicts?|warnings?|vulnerabilities|incidents?)\b(?! (?:message|code))|^(?:sorry, )?(?:there (?:are|is|were|was) )?(?:no|0) (?!such\b|rule\b|response\b|reply\b|answer\b|space\b|se\b|existe\b|es\b|hay\b|tiene\w*\b|ha\b|valid\b|connection\b|route\b|permission\b|access\b)[\p{L}\d"'“”`*._ -]{2,60}?(?: (?:were |was |are |is )?(?:found|match(?:es|ed)?|available|yet|exist|returned|to show|in)\b[^.]{0,60})?[.!]?$|\bnothing to\b|\bis empty\b|\b(?:is|are|was|were) already (?:enabled|disabled|active|running|on|off|installed|set|connected|turned)\b|^keine? |^kein \p{L}+ gefunden|^aucune? |^(?:ning[uú]n|nenhum|nessun)|^sin (?:errores|resultados)|没有找到|未找到相关|没有相关|无结果|該当する|ありませんでした|ошибок нет|нет ошибок|ничего не найдено|결과가 없|^nothing found|\b(?:could not|couldn't|did not|didn't|cannot|can't) find any(?:thing)?\b|\bnothing to (?:commit|do|show|update)\b|working tree clean|^\W*(?:not exceeded|not set|not yet)\W*$/iu

/** Reports of what a person did, questions, definitions and conditions. */
const told =
  /^(?:if|when(?:ever)?|how|why|what|where|who|which|should you|in case|for example|e\.g\.|to (?:fix|avoid|prevent)|she|he|they|chapter|figure|note:|tip:|faq|q:|fix(?:ed|es)?:?|changed:?|changelog)\b|\b(?:means that|means\b|refers to|is one of the|is (?:an? )?(?:common|kind|type|set|list|number|museum|status)\b|said|told|asked|wrote|once|used to|began|yesterday|last (?:week|month|year|night)|for example|such as when)\b|\bhow (?:to|do i)\b/i

/** Advice that follows a failure. */
const advice =
  /^(?:please|try|check|see|use|make|contact|perhaps|did|retry|upgrade|subscribe|go|ensure|wait|visit|you|your|it|this|that|for|set|the|reset|learn|available|valid|allowed|supported|request|current|expected|got|received|reason|details?|code|status|error|run|consider|maybe|to|if|verify|specify|read|more|only|maximum|no|one|either|there|field|in|at|a|an|and|or|because|attempt\w*|exceeded|found|failed|hint|note|note that|by|we|sqlstate|sqlcode|access|https?:|vérifiez|veuillez|essayez|bitte|prüfen|por favor|verifique|compruebe|aseg[úu]rese|int[ée]nte\p{L}*|verifica|controlla\p{L}*|riprova|tente|proszę|spróbuj|пожалуйста|проверьте|\W|\d)(?!\p{L})|^\W|^https?:/iu

/** What a program did instead, and what the tool's own action was: `Order cancelled: …`. */
const mitigated =
  /, but (?:here|the raw)\b|, (?:using|skip\w*|falling back|defaulting|ignoring|continuing|will retry|retrying)\b|\b(?:has|have|was) been replaced by\b|^(?!(?:access|permission|request|payment|connection|operation|call|transaction|card|login)\b)\w+ (?:cancell?ed|set|closed|locked|rejected|denied|declined|suspended|revoked|disabled|removed|paid)(?:[:.,;]|$)/i

/** A sentence about things of a kind, which is a rule if others follow: `Tickets cannot be changed. Refunds …`. */
const general =
  /^(?!(?:your|these|those|the|requests?|arguments?|parameters?|credentials|permissions?)\b)\p{Lu}\p{L}+(?: \p{Ll}+){0,3}s (?:cannot|can['’]t|can not|are|do|don['’]t|must|may|should|expire|need|have)\b/u

/** Rules, quotations, reports of events and words of dictionaries. */
const stated =
  /^["\u201c].*["\u201d] [-\u2013\u2014] \S|\((?:noun|verb|adj)\.?\)|\b(?:policy|weather|warning until|(?:might|may|could) (?:lead to|result in)|will be (?:removed|deleted|closed|stopped)|delivery failed|next (?:try|attempt))\b|^your (?:phone|device|line|parcel|package)\b|^(?:todo|fixme|uptime)\b|->|^\w+ is (?:human|art|life)\b|\b(?:rate|share|number) (?:did|does|is|was)\b/i

/** The boundary between two sentences. */
const boundary = /(?<=[.!?。！？])\s+(?=["'`([\p{Lu}])|(?<=[。！？])/u

const sentencesOf = (text: string): ReadonlyArray<string> => text.split(boundary)

/** Words that a language of Europe can have. The search for its predicates takes longer than that for English ones. */
const wordy = /[^\x00-\x7f]|[a-z]{4}/i

/** What must be, which can be a rule, or what happened, which can be a story. */
const ruleOrStory = /^[^.]*\b(?:must|required|began|had)\b/i

const indexOf = (form: RegExp, text: string): number => {
  const found = form.exec(text)
  return found === null ? Infinity : found.index
}

const failureAt = (sentence: string): number =>
  Math.min(
    indexOf(english, sentence),
    wordy.test(sentence) ? indexOf(european, sentence) : Infinity,
    indexOf(eastern, sentence)
  )

/** Matches quotations, which only mention a phrase. */
const quoted = /(?<!\w)(["'`])[^"'`\n]{1,120}\1(?!\w)|[\u201c\u00ab][^\u201d\u00bb\n]{1,120}[\u201d\u00bb]/g

/** True if a sentence states a failure before it reports a success, and is no question, definition or condition. */
export const isFailure = (sentence: string): boolean => {
  const text = sentence.slice(0, longestSentence).replaceAll(quoted, "x").trim()
  if (harmless.test(text) || told.test(text) || mitigated.test(text) || stated.test(sentence)) return false
  const at = failureAt(text)
  return at < Infinity && at <= indexOf(success, text)
}

/** True if a sentence reports that something was done. */
export const isSuccess = (sentence: string): boolean => indexOf(success, sentence) < failureAt(sentence)

/** True if a text of one line, or a few sentences, states a failure and little else. */
export const statesFailure = (text: string): boolean => {
  if (text.length > longestAnswer) return false
  const [first = "", ...others] = sentencesOf(text.trim())
  if (first.endsWith("?") && others.length === 0 && told.test(first)) return false
  if (isSuccess(first) || told.test(first) || mitigated.test(first)) return false
  if (stated.test(text) || (others.length > 0 && general.test(first))) return false
  const failing = [first, ...others].filter(isFailure).length
  if (failing === 0) return false
  const unexplained = others.filter((one) => !isFailure(one) && !advice.test(one)).length
  // what must be can be a rule, and what followed is a story
  if (ruleOrStory.test(first) && others.length > 0) return unexplained === 0
  return isFailure(first) ? unexplained <= failing && unexplained < 3 : others.length <= 2 && failing >= others.length
}
