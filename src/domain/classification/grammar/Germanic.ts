/** German and Dutch words of failures by role. */
import type { Vocabulary } from "./Role.ts"

export const german: Vocabulary = {
  credential: `
    passwort*, kennwort*, anmeldedaten, zugangsdaten, anmeldung, authentifizierung*,
    sitzung ist abgelaufen, sitzung abgelaufen, angemeldet, anmelden
  `,
  right: `berechtigung*, zugriff*, rechte, zugriffsrechte, keine berechtigung, berechtigt`,
  denied: `verweigert, untersagt, verboten, abgelehnt, gesperrt für, unzulässiger zugriff, nicht berechtigt`,
  permitted: `erlaubt, gestattet, befugt, zugelassen`,
  quota: `kontingent*, guthaben, freigrenze`,
  rate: `anfragen, rate limit, aufrufe`,
  throttled: `zu viele anfragen, zu viele aufrufe, zu viele versuche, zu häufig, zu schnell`,
  memory: `arbeitsspeicher, hauptspeicher, speicher, speicherzuordnung`,
  storage: `festplatte*, datenträger*, speicherplatz, speicherplatzes, laufwerk`,
  exhausted: `
    voll, erschöpft, aufgebraucht, unzureichend*, zu wenig, reicht nicht, nicht genügend, nicht genug,
    nicht ausreichend, ausgeschöpft
  `,
  exceeded: `überschritten, überschreitet, erreicht, zu viele`,
  comparison: `
    zu lang, zu groß, zu kurz, zu klein, zu hoch, zu niedrig, höchstens, mindestens, maximale, maximal, größer als,
    kleiner als, außerhalb, zeichen lang, darf nicht größer
  `,
  limit: `limit, grenze, obergrenze, höchstzahl`,
  timeout: `zeitüberschreitung*, zeitlimit, zeit überschritten, timeout, wartezeit überschritten`,
  link: `verbindung*, netzwerk*`,
  broken: `unterbrochen, getrennt, zurückgesetzt, nicht erreichbar`,
  connected: `hergestellt, verbinden, aufgebaut, erreichbar`,
  down: `
    überlastet, wartung*, wartungsarbeiten, interner fehler, interner serverfehler, unerwarteter fehler, ausgelastet
  `,
  again: `
    später, erneut versuchen, erneut, momentan, vorübergehend, zurzeit, derzeit, gerade, versuchen sie es,
    versuche es, versuchen sie, noch einmal
  `,
  temporary: `vorübergehend`,
  lock: `
    gesperrt von, anderer benutzer, anderen benutzer, anderen prozess, anderer prozess, verwendet wird,
    gerade bearbeitet, bearbeitet von, wird gerade, in bearbeitung durch, benutzer gesperrt, in verwendung durch,
    verklemmung
  `,
  taken: `
    existiert bereits, bereits vorhanden, schon vorhanden, bereits vergeben, schon verwendet, bereits verwendet,
    schon vergeben, doppelte*, bereits registriert
  `,
  state: `
    bereits, geschlossen, gesperrt, archiviert, storniert, abgelaufen, deaktiviert, gelöscht, abgeschlossen, beendet,
    sitzung abgelaufen, sitzung ist abgelaufen
  `,
  unsupported: `nicht unterstützt, nicht implementiert`,
  supported: `unterstützt`,
  needed: `
    erforderlich, pflichtfeld*, fehlt, fehlen, fehlende*, leer sein, benötigt, ausgefüllt, angeben, eingeben,
    vorgeschrieben, ist leer, sind leer, leeres, erfordert
  `,
  invalid: `
    ungültig*, falsch*, fehlerhaft*, unzulässig*, inkorrekt*, ungültiges format, syntaxfehler, widersprüchlich*,
    stimmt nicht, kann nicht zugewiesen, darf nicht, ist kein, ist keine, ist keine gültige, sind keine,
    division durch null, durch null geteilt, unerwartetes, unerwartete eingabe, nicht beendet*,
    nicht abgeschlossen*, nicht geschlossen*, mehrdeutig*, unverträglich*, unpassend*, kein gültig*
  `,
  valid: `gültig*, überein, übereinstimmt, korrekt*, zulässig*, überprüft`,
  absent: `
    unbekannt*, nicht gefunden, existiert nicht, nicht vorhanden, kein solche*, kein solcher, keine solche,
    kein derartig*, nicht erkannt, nicht definiert, nicht bekannt
  `,
  found: `gefunden, existiert, existieren, vorhanden, bekannt, finden`,
  expectation: `muss, müssen, darf, dürfen, erwartet, soll, sollte, erlaubte werte, bitte`,
  input: `
    feld*, wert*, parameter, spalte*, name, eigenschaft*, format, datum, zahl, zeichenkette, angabe, eingabe, adresse,
    datei, nummer, argument, zeichen
  `,
  answer: `antwort`,
  software: `paket*, modul, bibliothek`,
  configuration: `konfiguration*, einstellung*, zertifikat*`,
  failed: `fehlgeschlagen, fehler, gescheitert, misslungen, abgebrochen, verloren, nicht möglich`,
  defect: `speicherzugriffsfehler, absturz, abgestürzt, beschädigt`,
  negation: `nicht, kein, keine, keinen, konnte nicht, ohne`,
  service: `server, host, gegenseite`,
  answered: `antwortet, reagiert, geantwortet`,
  available: `verfügbar`,
  uninstalled: `ist entweder falsch geschrieben`
}

export const dutch: Vocabulary = {
  credential: `wachtwoord*, inloggegevens, aanmelden, ingelogd, inloggen, sessie verlopen`,
  right: `toegang, rechten, toestemming, bevoegd`,
  denied: `geweigerd, verboden`,
  permitted: `toegestaan, gemachtigd`,
  throttled: `te veel verzoeken, te veel aanvragen, te veel pogingen`,
  memory: `geheugen`,
  storage: `schijf, schijfruimte, opslagruimte`,
  exhausted: `onvoldoende, te weinig, vol`,
  exceeded: `overschreden, overschrijdt, bereikt`,
  comparison: `te lang, te groot, te kort, te klein, maximaal, minimaal, ten minste`,
  limit: `limiet`,
  timeout: `time out, verstreken, tijdslimiet`,
  link: `verbinding`,
  broken: `verbroken`,
  down: `overbelast, onderhoud`,
  again: `later opnieuw, probeer het later, tijdelijk, momenteel, opnieuw`,
  temporary: `tijdelijk`,
  taken: `bestaat al, al in gebruik`,
  needed: `verplicht, vereist, ontbreekt, ontbrekende, leeg, ontbrekend*`,
  invalid: `
    ongeldig*, onjuist*, verkeerd*, foutief, is geen, zijn geen, deling door nul, onverwacht*, ongeldige,
    niet afgesloten, dubbelzinnig, verschillende lengte
  `,
  valid: `geldig`,
  absent: `niet gevonden, bestaat niet, onbekend*, geen dergelijk*, niet herkend, bestaan niet`,
  found: `gevonden, bestaat`,
  expectation: `moet, moeten, mag, mogen, verwacht`,
  input: `veld, waarde, bestand, kolom`,
  failed: `mislukt, fout`,
  negation: `niet, geen, kan niet`,
  answered: `reageert, antwoordt`,
  available: `beschikbaar`,
  state: `sessie verlopen`
}
