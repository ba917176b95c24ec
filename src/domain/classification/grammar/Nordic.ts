/** Swedish, Danish and Norwegian words of failures by role. */
import type { Vocabulary } from "./Role.ts"

export const swedish: Vocabulary = {
  credential: `
    lösenord*, inloggning*, inloggad, logga in, autentisering*, sessionen har gått ut, sessionen har upphört
  `,
  right: `behörighet*, åtkomst*, rättighet*`,
  denied: `nekad, nekades, förbjud*, ej behörig, inte behörig, avvisad, avvisades`,
  permitted: `tillåtet, tillåten, tillåts`,
  quota: `kvot*`,
  throttled: `för många förfrågningar, för många försök, för många anrop`,
  memory: `minne*`,
  storage: `diskutrymme*, lagringsutrymme*, disken`,
  exhausted: `slut på, otillräcklig*, fullt, för lite`,
  exceeded: `överskrid*, överskreds, uppnådd, för många`,
  comparison: `för lång*, för stor*, för kort*, för liten, minst, högst, större än, mindre än`,
  limit: `gräns*`,
  timeout: `tidsgräns*, tog för lång tid`,
  link: `anslutning*, nätverk*`,
  broken: `avbröts, bröts, bruten, tappad`,
  connected: `ansluta, nå`,
  down: `överbelastad*, underhåll, internt fel, otillgänglig*, oväntat fel`,
  again: `försök igen, försök senare, tillfälligt, för närvarande`,
  temporary: `tillfälligt`,
  lock: `annan process, annan användare, används av`,
  taken: `finns redan, redan registrerad, används redan, dubblett*`,
  state: `
    redan, stängd, låst, avbruten, utgången, raderad, inaktiverad, sessionen har gått ut, sessionen har upphört
  `,
  needed: `krävs, saknas, saknar, obligatorisk*, ange, tom, tomt`,
  invalid: `ogiltig*, felaktig*, fel format, syntaxfel, oväntat, oväntad`,
  absent: `hittades inte, hittades ej, finns inte, finns ej, okänd, okänt, existerar inte`,
  found: `hittade, hitta`,
  available: `tillgänglig*`,
  supported: `stöds`,
  expectation: `måste, förväntade*, skall`,
  input: `fält*, värde*, argument, parameter*, tecken, fil, kolumn`,
  failed: `misslyckades, misslyckad, fel`,
  negation: `inte, ej, kan inte, kunde inte, ingen, inget, inga, utan`
}

export const danish: Vocabulary = {
  credential: `
    adgangskode*, kodeord*, passord*, logget ind, logget inn, log ind, logg inn, godkendelse, autentisering
  `,
  right: `adgang, adgang til, tilladelse*, rettighed*, tillatelse, tilgang, rettigheter`,
  denied: `nægtet, forbudt, afvist, nektet, avvist, ikke tilladt, ikke tillatt`,
  throttled: `for mange forespørgsler, for mange forsøg`,
  memory: `hukommelse, minne`,
  storage: `diskplads, plads, diskplass, plass`,
  exhausted: `utilstrækkelig*, utilstrekkelig*, ikke nok, ikke mer, ikke mere, fuld, full`,
  exceeded: `overskredet, overskrider, overskrides, nået, nådd`,
  comparison: `
    for lang, for stor, for kort, for lille, for liten, mindst, minst, højst, høyst, større end, større enn
  `,
  timeout: `tidsudløb, tidsavbrudd, tidsgrænse`,
  link: `forbindelse*, netværk*, tilkobling*, nettverk*`,
  broken: `afbrudt, avbrutt, brudt, brutt, mistet`,
  connected: `oprette forbindelse, koble til, nå`,
  down: `overbelastet, vedligehold*, vedlikehold, intern fejl, intern feil, utilgængelig, utilgjengelig`,
  again: `prøv igen, prøv igjen, midlertidig*, i øjeblikket, for øyeblikket`,
  temporary: `midlertidig*`,
  available: `tilgængelig*, tilgjengelig*`,
  lock: `en anden proces, en annen prosess, anden bruger, annen bruker, brukes av en annen, bruges af en anden`,
  taken: `findes allerede, finnes allerede, allerede i brug, allerede i bruk, eksisterer allerede`,
  state: `allerede, lukket, låst, annulleret, udløbet, utløpt, slettet, deaktiveret`,
  needed: `påkrævet, påkrevd, mangler, obligatorisk*, skal udfyldes, må fylles ut, tom`,
  invalid: `ugyldig*, forkert*, fejlagtig*, feil format, syntaksfejl, syntaksfeil, uventet`,
  absent: `ikke fundet, ikke funnet, findes ikke, finnes ikke, eksisterer ikke, ukendt*, ukjent*`,
  expectation: `skal være, må være, forventede, forventet`,
  input: `felt*, værdi*, verdi*, parameter*, kolonne, filen`,
  failed: `mislykkedes, mislyktes, fejlede, fejl, feilet`,
  negation: `ikke, ingen, intet, kunne ikke, kan ikke, uden, uten`
}
