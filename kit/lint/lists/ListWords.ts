/**
 * The words around the values that a description lists: words that introduce a complete list, nouns for a property with
 * few values, words that make a list incomplete, and conjunctions.
 *
 * The languages are English, Chinese, German, Spanish, French, Portuguese, Italian, Russian, Japanese and Korean. Lists
 * in another language are not recognised.
 */

/** Returns a pattern of whole words. Chinese, Japanese and Korean have no word boundaries. */
const anyOf = (words: string, unbounded: string): RegExp =>
  new RegExp(String.raw`(?<![\p{L}\p{N}_])(?:${words})(?![\p{L}\p{N}_])|${unbounded}`, "iu")

const permitted =
  "allowed|valid|accepted|acceptable|supported|available|permitted|possible|legal|recogni[sz]ed|predefined|mögliche|erlaubte|zulässige|gültige|unterstützte|possibles|autorisées|acceptées|valides|posibles|permitidos|permitidas|válidos|válidas|admitidos|aceptados|possíveis|aceitos|ammessi|possibili|validi|consentiti|допустимые|возможные|разрешённые|разрешенные"

const listed =
  "values?|options?|types?|choices?|modes?|kinds?|levels?|formats?|names?|actions?|operations?|intervals?|periods?|werte?|optionen|valeurs?|valores?|opciones|opções|valori?|opzioni|значения|варианты"

/** Matches the end of an introduction of a complete list: `one of`, `allowed values are`, `Mögliche Werte`. */
export const introduction = new RegExp(
  String.raw`(?:(?<![\p{L}\p{N}_])(?:${[
    String.raw`(?:(?:exactly |only )?one of(?: (?:the following|these|those|the))?|either|any one of|exactly one of|eine[rs]? von|eines von|uno de|una de|l['’]une? des?|l['’]une? des (?:valeurs )?suivantes|un de|um de|uma de|uno di|una di|один из|одно из|одна из)(?: (?:${listed}))?(?: (?:is |are )?(?:allowed|accepted|supported|permitted))?`,
    String.raw`(?:choose|select|pick)(?: one)?(?: from| between| of| among)?(?: the following| these)?(?: (?:${listed}))?`,
    String.raw`(?:(?:${permitted}) (?:[\p{L}]+ )?[\p{L}]+|(?:${listed}) (?:${permitted}))(?: (?:are|is|include|includes|sind|son|sont|são|sono))?(?: (?:one of )?(?:the following|these))?`,
    String.raw`(?:options?|choices?|(?:the following )?values?|werte|optionen|valeurs|valores|opciones|opções|valori|opzioni|значения|варианты)(?: (?:are|include|includes|sind|son|sont|são|sono))?(?: the following)?`,
    String.raw`(?:erlaubt|zulässig|möglich) sind|(?:supported|allowed|accepted|permitted)(?: are)?`,
    String.raw`(?:separated|delimited) list of(?: the following)?(?: (?:${listed}))?`,
    "enum|literal|oneof|one_of"
  ].join(
    "|"
  )})|(?:可选(?:值|项|参数|范围|标志|的值)?|取值(?:范围)?|枚举(?:值)?|(?:允许|支持|有效|合法|可用|可能)的?(?:取?值|类型|状态|选项|参数)?|只能(?:是|为|取)|必须(?:是|为)|[值选]项?(?:包括|包含|为|是)|指定可能な値|選択肢|有効な値|使用可能な値|가능한 값|허용(?:되는)? 값|선택 가능한 값)(?:有|为|是|包括|包含|如下|は|は次のとおり)?)$`,
  "iu"
)

/** Matches the end of an introduction that is one only before a colon: `Two categories allowed:`. */
export const participle = /(?<![\p{L}])[\p{L}]+ (?:are )?(?:allowed|accepted|supported|permitted|available)$/iu

/** Matches the end of a weaker introduction, after which only values in quotation marks or like identifiers count. */
export const weakIntroduction =
  /(?<![\p{L}\p{N}_])(?:(?:must|should|can|could|may|shall|has to|needs to) be(?: set to| exactly)?|set (?:it |this |the value )?to|is|are|accepts?|supports?|takes|supporting|use|pass|input|enter|specify|provide|whether|(?:darf|muss|kann)(?: nur)?|puede ser|debe ser|peut être|doit être|pode ser|deve ser|può essere|deve essere|может быть|должен быть|должно быть)(?: (?:either|exactly|only))?$/iu

const nouns =
  "status|state|mode|types?|kind|level|sort(?:ing|ed)?(?: by| order| field)?|order(?: by)?|direction|units?|method|priority|severity|visibility|role|scope|actions?|operation|strategy|alignment|encoding|position|interval|period|frequency|granularity|resolution|environment|stage|phase|side|style|theme|variant|protocol|algorithm|category|categories|class|view|layout|orientation|gender|quality|speed|difficulty|depth|transport|aggregation|operator|condition|comparison|relation|timeframe|freshness|(?:output|response|return|result|file|image|export|report|data) format|sortierung|modus|typ|art|richtung|einheit|tri|état|statut|ordre|sens|unité|estado|tipo|orden|modo|unidad|stato|ordine|unità|unidade|ordem|статус|тип|режим|порядок|состояние"

/** Matches a noun for a property that usually has few values, such as `status` or `sort order`. */
export const kindNoun = anyOf(nouns, "类型|类别|状态|方式|模式|级别|顺序|種類|状態|モード|順序|상태|유형|정렬|모드")

/** Matches the name of a parameter that usually has few values, although the noun in a description may introduce a form. */
export const kindName = /(?:^|\s)formats?$/iu

/** Matches a word for a form of a value, such as in `ID or name`. */
export const form =
  /^(?:ids?|names?|paths?|ur[il]s?|titles?|slugs?|keys?|codes?|texts?|e-?mails?|numbers?|strings?|symbols?|usernames?|address|hash|sha|branch|tags?|files?|contents?|domains?|ip|uuid|alias(?:es)?|handles?|phone|owner|repo|user|date|time|year|month|day|json schema)$/iu

/** The beginning of a list in brackets or after a colon, which a form such as `YYYY-MM-DD` or `owner/repo` is not. */
const listStart = String.raw`\s*[:(]\s*["'\x60]?[\p{L}\p{N}_]{2,}["'\x60]?\s*[,(|]`

/** Matches words that make a list incomplete, or that announce examples, forms of a value, or parts of it. */
export const incomplete = anyOf(
  String.raw`such as|for example|for instance|e\.?g|i\.?e|eg|ex|like|examples?|samples?|etc|and so on|and more|or other|others?|custom|any|similar|typically|usually|commonly|common|often|specific|pattern|syntax|regex|regular expression|expression|placeholders?|wildcards?|operators '|mentions|in the forms?|in the formats?|formats? of|formatted|(?<!(?:output|response|return|result|file|image|export|report|data) )format(?!${listStart})|(?:must|should) (?:start|end|begin) with|(?:starts?|ends?|begins?|prefixed|suffixed|followed) (?:with|by)|prefix\w*|suffix\w*|extensions?|contains?|containing|combin\w*|multiple|include both|keys?|columns|fields|permissions|statements|replac\w+|returns?|requires?|obtain\w*|z\. ?b|zum beispiel|beispielsweise|beispiel|wie|usw|por ejemplo|p\. ?ej|ej|como|etcétera|par exemple|p\. ?ex|comme|por exemplo|ad esempio|come|ecc|например|как|и т\.? ?[дп]|и др|format d\w+|formato(?!${listStart})|ví dụ|misalnya|contoh|seperti|na przykład|örneğin|bijvoorbeeld|bijv`,
  String.raw`例如|比如|诸如|譬如|示例|样例|格式(?!${listStart}|[:(][\w-]+/[\w-]+/\w)|如[:：]|[,，、]如|组合|任意值|自定义|等等|其他|其它|前缀|后缀|开头|例[:：)）]|例えば|など|形式|예[:：]|예를 들어|등|형식|\.\.\.|…`
)

/** Matches words that say which values are refused, or that compare with other values. */
export const negative = anyOf(
  String.raw`not|cannot|can['’]t|don['’]t|never|neither|nor|except|without|different from|same as|if|nicht|kein\w*|no|nunca|ni|ne|pas|não|non|не|нельзя`,
  "不(?:要|得|能|可|支持|允许|接受)|[请切]?勿|禁止|ない|않|안 "
)

/** Matches words for a text that combines several of the listed values. */
export const combination =
  /(?:comma|space|semicolon|pipe)s?[- ]?(?:separated|delimited)|separated by (?:a )?(?:commas?|spaces?|semicolons?|pipes?)|kommagetrennt|durch komma getrennt|separad[oa]s? por comas?|séparées? par des virgules|逗号分隔|カンマ区切り|쉼표로 구분/iu

/** Conjunctions between two values. */
export const conjunction =
  "(?<![\\p{L}\\p{N}_])(?:or|and|OR|AND|oder|und|o|u|y|e|ou|et|или|и)(?![\\p{L}\\p{N}_])|以及|或者?|和|及|与|または|もしくは|か|또는|혹은"

/** Conjunctions between two alternatives. */
export const alternative = /(?<![\p{L}\p{N}_])(?:or|oder|o|u|ou|или)(?![\p{L}\p{N}_])|或者?|または|もしくは|또는|혹은/iu
