/** Polish, Russian, Ukrainian and Czech words of failures by role. */
import type { Vocabulary } from "./Role.ts"

export const polish: Vocabulary = {
  credential: `hasł*, dane logowania, uwierzytelni*, zalogowa*, sesja wygasła`,
  right: `dostęp*, uprawnie*, praw dostępu`,
  denied: `odmowa, zabronion*, odrzucon*, brak dostępu, brak uprawnień, nieautoryzowan*`,
  permitted: `dozwolon*`,
  quota: `limit danych, środków`,
  throttled: `zbyt wiele żądań, zbyt wiele prób, za dużo żądań`,
  memory: `pamięci`,
  storage: `dysku, miejsca`,
  exhausted: `za mało, niewystarczając*, brak miejsca, brak pamięci, wyczerpan*, pełny`,
  exceeded: `przekroczon*, przekracza, osiągnięt*`,
  comparison: `
    za długi*, za duż*, zbyt dług*, zbyt duż*, co najmniej, najwyżej, większ*, mniejsz*, maksymaln*, minimaln*
  `,
  limit: `limit, limitu`,
  timeout: `czas oczekiwania, przekroczono czas, upłynął limit czasu, upłynął czas`,
  link: `połączeni*, sieci`,
  broken: `utracon*, przerwan*, zerwan*`,
  connected: `połączyć, nawiązać`,
  down: `przeciążon*, niedostępn*, błąd wewnętrzny, wewnętrzny błąd, nieoczekiwany błąd, prace konserwacyjne`,
  again: `spróbuj ponownie, ponownie później, później, tymczasowo, chwilowo`,
  temporary: `tymczasowo, chwilowo`,
  lock: `inny proces, innego użytkownika, inny użytkownik`,
  taken: `już istnieje, zajęt*, duplikat`,
  state: `już, zamknięt*, zablokowan*, anulowan*, wygasł*, usunięt*, zarchiwizowan*, sesja wygasła`,
  needed: `wymagan*, brakuje, pust*, obowiązkow*, podaj, uzupełnij, brakując*`,
  invalid: `
    nieprawidłow*, niepoprawn*, błędn*, niewłaściw*, błąd składni, nie jest, to nie jest, dzielenie przez zero,
    nieoczekiwan*, niezakończon*, niejednoznaczn*, zły, zła, złe
  `,
  valid: `poprawn*, prawidłow*`,
  absent: `
    nie znaleziono, nie istnieje, nieznan*, nie odnaleziono, nie ma takiego, nie ma takiej, nie ma takich,
    nierozpoznan*, nie można odnaleźć
  `,
  found: `znalezion*, istnieje, znaleźć`,
  supported: `obsługiwan*`,
  expectation: `musi, muszą, powin*, oczekiwan*, proszę`,
  input: `pole, pola, wartość, parametr*, kolumn*, nazwa, format, data, numer, adres, plik`,
  failed: `nie powiodł*, błąd, niepowodzenie`,
  negation: `nie, brak, nie można`,
  service: `serwer*`,
  answered: `odpowiada`,
  available: `dostępny, dostępna, dostępne`,
  uninstalled: `nie jest rozpoznawana jako polecenie`
}

export const russian: Vocabulary = {
  credential: `
    парол*, логин*, учетны* данны*, учётные данные, учетные данные, аутентификац*, авторизуйтесь,
    сессия истекла, срок действия токена, войдите
  `,
  right: `доступ*, прав, права, разрешени*, полномочи*, привилеги*`,
  denied: `запрещен*, запрещён*, отказано, отклонен*, отклонён*, заблокирован администратором, не разрешен*`,
  permitted: `разрешено, разрешён, авторизован*`,
  quota: `квот*, лимит трафика, баланс*`,
  throttled: `слишком много запросов, слишком часто, слишком много попыток`,
  rate: `запросов`,
  memory: `памят*`,
  storage: `диск*, места, места на диске, хранилищ*`,
  exhausted: `недостаточно, нехватка, исчерпан*, заполнен*, переполнен*, закончил*, не хватает`,
  exceeded: `превыш*, достигнут*`,
  comparison: `
    слишком длин*, слишком больш*, слишком корот*, слишком мал*, не менее, не более, больше, меньше, максимальн*,
    минимальн*
  `,
  limit: `лимит*, предел*, ограничени*`,
  timeout: `
    время ожидания, времени ожидания, тайм аут*, таймаут*, истекло время, превышен интервал ожидания,
    превышено время
  `,
  link: `соединени*, подключени*, сеть, сети`,
  broken: `разорван*, сброшен*, потерян*, прервано, прерван*, недоступен хост`,
  connected: `подключиться, соединиться, установить соединение`,
  down: `
    перегружен*, недоступен, недоступна, недоступны, недоступно, внутренняя ошибка, техническ* работ*,
    технические работы, непредвиденная ошибка
  `,
  again: `попробуйте позже, повторите, позже, временно, позднее`,
  temporary: `временно`,
  lock: `
    другим процессом, другим пользователем, другой процесс, другой транзакци*, взаимоблокировк*, взаимная блокировка,
    заблокирован другим
  `,
  taken: `уже существует, уже используется, уже занят*, дубликат*, повторяющ*, уже зарегистрирован*`,
  state: `
    уже, закрыт*, заблокирован*, архив*, отменен*, отменён*, истек*, истёк*, удален*, удалён*, отключен*,
    сессия истекла, срок действия токена
  `,
  supported: `поддерживается`,
  needed: `
    обязательн*, требуется, отсутству*, пуст*, укажите, заполните, необходим*, не указан*, не задан*, пропущен*,
    не хватает аргумент*
  `,
  invalid: `
    неверн*, некорректн*, недопустим*, неправильн*, ошибочн*, ошибка синтаксиса, синтаксическая ошибка,
    недействительн*,
    не является, не являются,
    деление на ноль, деления на ноль, неожиданн*, незакрыт*, непарн*, незаверш*
  `,
  valid: `верн*, корректн*, соответств*, допустим*`,
  absent: `
    не найден*, не существует, неизвестн*, не удается найти, не удаётся найти, нет такого, нет такой, нет таких,
    такого файла нет, не найти
  `,
  found: `найден*, существует, найти`,
  expectation: `должен, должна, должно, должны, ожидал*, пожалуйста`,
  input: `
    поле, поля, значени*, параметр*, столбец, столбц*, имя, формат*, дата, номер*, строк*, адрес*, файл*, аргумент*,
    код
  `,
  answer: `ответ*`,
  failed: `ошибка, сбой, не удалось, неудачн*`,
  negation: `не, нет, без, невозможно`,
  service: `сервер*, хост*`,
  answered: `отвечает, ответил`,
  uninstalled: `не является внутренней или внешней`
}

export const ukrainian: Vocabulary = {
  credential: `парол*, автентифікац*, увійдіть, сесія закінчилась, термін дії токена`,
  right: `доступ*, прав, права, дозвол*, повноважен*`,
  denied: `заборонен*, відмовлено, відхилен*, не дозволено`,
  quota: `квот*, баланс*`,
  throttled: `забагато запитів, занадто багато запитів, забагато спроб`,
  memory: `пам'ят*`,
  storage: `диск*, місця, сховищ*`,
  exhausted: `недостатньо, вичерпан*, заповнен*, не вистачає`,
  exceeded: `перевищен*, перевищує, досягнут*`,
  comparison: `задовг*, занадто довг*, завелик*, занадто велик*, не менше, не більше`,
  timeout: `час очікування, часу очікування`,
  link: `з'єднанн*, мереж*`,
  broken: `розірвано, перервано, втрачено, скинуто`,
  connected: `з'єднатися, підключитися, встановити з'єднання`,
  down: `перевантажен*, недоступн*, внутрішня помилка, технічні роботи, неочікувана помилка`,
  again: `спробуйте пізніше, спробуйте ще раз, повторіть, пізніше, тимчасово`,
  temporary: `тимчасово`,
  taken: `вже існує, вже використовується, вже зайнят*, вже зареєстрован*`,
  state: `вже, закрит*, заблокован*, скасован*, видален*, вимкнен*, сесія закінчилась, термін дії токена`,
  needed: `обов'язков*, потрібно, відсутн*, порожн*, вкажіть, заповніть`,
  invalid: `невірн*, некоректн*, неправильн*, недійсн*, неприпустим*, помилка синтаксису`,
  absent: `не знайдено, не існує, невідом*`,
  supported: `підтримується`,
  expectation: `повинен, повинна, повинно, має бути, очікувал*`,
  failed: `помилка, не вдалося, збій`,
  negation: `не, немає, без, неможливо`
}

export const czech: Vocabulary = {
  credential: `hesl*, přihlášen*, přihlaste, přihlásit, ověření, relace vypršela`,
  right: `oprávněn*, přístup*, práva`,
  denied: `odepřen*, zakázán*, zamítnut*, není povolen*, nepovolen*`,
  throttled: `příliš mnoho požadavků, příliš mnoho pokusů`,
  memory: `paměti, paměť`,
  storage: `disku, disk, místa, místo`,
  exhausted: `nedostatek, nedostatečn*, vyčerpán*, plný`,
  exceeded: `překročen*, překračuje, dosažen*`,
  comparison: `příliš dlouh*, příliš velk*, příliš krátk*, nejméně, nejvýše, větší než, menší než`,
  timeout: `časový limit, vypršel časový`,
  link: `spojení, připojení, síť`,
  broken: `přerušen*, ztracen*, ukončeno`,
  connected: `připojit, navázat`,
  down: `přetížen*, nedostupn*, vnitřní chyba, interní chyba, neočekávaná chyba, údržb*`,
  again: `zkuste to znovu, zkuste znovu, později, dočasně`,
  temporary: `dočasně`,
  lock: `jiným procesem, jiný proces, jiný uživatel, jiným uživatelem`,
  taken: `již existuje, už existuje, již používá, duplicitní`,
  state: `již, zavřen*, uzamčen*, zrušen*, smazán*, vypršel*, relace vypršela`,
  needed: `povinn*, chybí, vyžadován*, prázdn*, zadejte, nutné`,
  invalid: `neplatn*, chybn*, nesprávn*, syntaktická chyba`,
  absent: `nenalezen*, nebyl nalezen, neexistuje, neznám*`,
  expectation: `musí, očekáván*, měl by`,
  failed: `selhal*, chyba, nepodařilo se, nezdařil*`,
  negation: `není, nelze, nemůže, bez, žádný, žádná, nebyl, nebyla`
}
