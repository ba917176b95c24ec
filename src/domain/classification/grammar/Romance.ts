/** French, Italian, Portuguese and Spanish words of failures by role. */
import type { Vocabulary } from "./Role.ts"

export const french: Vocabulary = {
  credential: `
    mot de passe, mots de passe, identifiants, identifiant ou, authentification, connecté,
    session expirée, session a expiré, jeton expiré, jeton invalide, clé api, clé d'api
  `,
  right: `accès, droit, droits, autorisation*, permission*, privilège*`,
  denied: `refusé*, interdit*, non autorisé*, bloqué*`,
  permitted: `autorisé*, permis, habilité*, pouvez`,
  quota: `quota*, crédit épuisé, crédits, forfait`,
  rate: `requêtes, débit`,
  throttled: `trop de requêtes, trop de tentatives, trop de demandes, trop d'appels, trop souvent`,
  memory: `mémoire`,
  storage: `disque, espace disque, espace, stockage`,
  exhausted: `
    insuffisant*, épuisé*, saturé*, plein, pleine, plus de place, plus d'espace, manque de, crédit épuisé
  `,
  exceeded: `dépassé*, dépasse, atteint*, excède, trop de`,
  comparison: `
    trop long*, trop grand*, trop court*, trop petit*, supérieur*, inférieur*, au moins, au plus, maximum, minimum,
    maximale, compris entre, trop volumineux
  `,
  limit: `limite, plafond`,
  timeout: `délai d'attente, délai dépassé, délai imparti, temps d'attente, expiration du délai, délai`,
  link: `connexion, réseau, liaison`,
  broken: `interrompu*, perdu*, réinitialisé*, coupé*, injoignable, inaccessible`,
  connected: `connecter, établir, joindre, contacter`,
  down: `
    surchargé*, maintenance, indisponible, erreur interne, une erreur est survenue, erreur inattendue, hors service
  `,
  again: `
    réessayer, réessayez, plus tard, temporairement, momentanément, ultérieurement, veuillez patienter, réessay*,
    nouvelle tentative
  `,
  temporary: `temporairement, momentanément`,
  lock: `
    verrou, verrouillé par, utilisé par un autre, en cours d'utilisation, un autre utilisateur, un autre processus,
    interblocage
  `,
  taken: `existe déjà, déjà utilisé*, déjà pris*, doublon, déjà enregistré*, en double, déjà existant*`,
  state: `
    déjà, fermé*, verrouillé*, archivé*, annulé*, expiré*, désactivé*, supprimé*, clôturé*, suspendu*, jeton expiré,
    session a expiré, session expirée
  `,
  unsupported: `non pris en charge, non supporté*`,
  supported: `pris en charge, prise en charge, supporté*`,
  needed: `
    obligatoire*, requis*, manquant*, vide, renseigné*, renseigner, saisir, nécessaire, nécessite, requiert,
    assurez vous,
    opérande manquant, argument manquant
  `,
  invalid: `
    invalide*, incorrect*, erroné*, non valide*, mauvais*, illégal*, erreur de syntaxe, malformé*,
    ne peut pas avoir, ne peut pas être,
    n'est pas un, n'est pas une, ne sont pas des,
    division par zéro, diviser par zéro, inattendu*, non terminé*, non fermé*, mal formé*, incompatible*, ambigu*,
    jeton invalide
  `,
  valid: `valide*, conforme*, correspond, correspondent, correct*`,
  absent: `
    introuvable*, inconnu*, inexistant*, non trouvé*, pas de tel, pas de telle, aucun tel, non reconnu*, non défini*
  `,
  found: `trouvé*, existe, existent, trouver`,
  expectation: `doit, doivent, devrait, attendu*, veuillez, il faut, seul*, ne peut`,
  input: `
    champ*, valeur*, paramètre*, colonne*, nom, format, date, nombre, chaîne, saisie, adresse, fichier, quantité,
    montant, argument, caractères, numéro
  `,
  answer: `réponse`,
  software: `paquet, bibliothèque`,
  configuration: `configuration, certificat*`,
  failed: `échec, échoué*, erreur`,
  negation: `
    ne, n'est, n'a, n'existe, n'ont, n'êtes, n'avez, pas, impossible de, aucun, aucune, non, sans, n'existe pas
  `,
  service: `hôte, serveur`,
  answered: `répond, répondu`,
  available: `disponible*`,
  uninstalled: `pas reconnu en tant que commande`
}

export const italian: Vocabulary = {
  credential: `
    password, credenziali, autenticazione, sessione scaduta, accedere, accesso non riuscito,
    token scaduto
  `,
  right: `permess*, autorizzazion*, accesso, privilegi, diritti`,
  denied: `negato, negata, vietato, vietata, rifiutato, rifiutata, non autorizzat*, bloccato da`,
  permitted: `consentit*, autorizzat*, permess*`,
  quota: `quota*, credito, crediti`,
  throttled: `troppe richieste, troppi tentativi`,
  rate: `richieste`,
  memory: `memoria`,
  storage: `disco, spazio su disco, spazio`,
  exhausted: `insufficiente, insufficienti, esaurit*, pieno, piena`,
  exceeded: `superato, superata, supera, raggiunto, oltrepassat*`,
  comparison: `
    troppo lung*, troppo grand*, troppo cort*, troppo piccol*, maggiore, minore, almeno, massimo, massima, minimo,
    superiore, inferiore, compreso tra
  `,
  limit: `limite`,
  timeout: `tempo scaduto, timeout, tempo di attesa, tempo massimo`,
  link: `connessione, rete`,
  broken: `interrotta, interrotto, persa, caduta, irraggiungibile`,
  connected: `connettersi, connettere, raggiungere, stabilire`,
  down: `sovraccaric*, manutenzione, errore interno, errore imprevisto, si è verificato un errore`,
  again: `riprova, riprovare, più tardi, temporaneamente, momentaneamente, attendere, riprov*`,
  temporary: `temporaneamente, momentaneamente`,
  lock: `altro utente, altro processo, bloccato dall'utente, in uso da`,
  taken: `esiste già, già esistente, già in uso, già utilizzat*, già registrat*, duplicat*`,
  state: `
    già, chiuso, chiusa, bloccat*, archiviat*, annullat*, scadut*, disattivat*, eliminat*, sospes*,
    sessione scaduta, token scaduto
  `,
  unsupported: `non supportat*`,
  supported: `supportat*`,
  needed: `
    obbligatori*, richiest*, mancante, mancanti, vuoto, vuota, necessari*, inserire, richiede, richiedono,
    assicurarsi
  `,
  invalid: `
    non valid*, errat*, scorrett*, sbagliat*, malformat*, errore di sintassi, non può avere, non può essere,
    non è un, non è una, non sono, divisione per zero, dividere per zero, inattes*, non terminat*, ambigu*,
    incompatibil*
  `,
  valid: `valid*, corrett*, corrispond*`,
  absent: `non trovat*, inesistente, sconosciut*, non esiste, nessun file, non riconosciut*, non definit*`,
  found: `trovat*, esiste, trovare`,
  expectation: `deve, devono, dovrebbe, previst*, atteso`,
  input: `
    campo, campi, valore, valori, parametro, colonna, nome, formato, numero, indirizzo, file, quantità, importo,
    codice, inserito
  `,
  failed: `fallit*, errore, non riuscit*`,
  negation: `non, impossibile, nessun, nessuna, senza`,
  service: `server, host`,
  answered: `risponde, risposto`,
  available: `disponibil*`,
  uninstalled: `non è riconosciuto come comando`
}

export const portuguese: Vocabulary = {
  credential: `
    senha, credenciais, usuário ou senha, autenticação, sessão expirada, sessão expirou, login,
    autenticado
  `,
  right: `permissão, permissões, acesso, privilégio*, autorização, direitos`,
  denied: `negado, negada, proibido, proibida, recusado, recusada, não autorizad*, bloqueado por, acesso negado`,
  permitted: `permitid*, autorizad*`,
  quota: `cota*, créditos, franquia`,
  throttled: `muitas requisições, muitas solicitações, muitas tentativas, muitos pedidos`,
  rate: `requisições, solicitações, pedidos`,
  memory: `memória`,
  storage: `disco, espaço em disco, espaço, armazenamento`,
  exhausted: `insuficiente*, esgotad*, cheio, cheia, acabou`,
  exceeded: `excedid*, excede, excedeu, atingid*, ultrapassad*, ultrapassa`,
  comparison: `
    muito longo, muito longa, muito grande, muito curt*, muito pequen*, maior, menor, pelo menos, no máximo, máximo,
    mínimo, superior, inferior
  `,
  limit: `limite`,
  timeout: `tempo limite, tempo esgotado, tempo de espera, timeout`,
  link: `conexão, ligação, rede`,
  broken: `interrompid*, perdid*, encerrad*, inacessível, caiu`,
  connected: `conectar, estabelecer, ligar ao`,
  down: `sobrecarregad*, manutenção, indisponível, erro interno, erro inesperado, ocorreu um erro`,
  again: `tente novamente, tente mais tarde, mais tarde, temporariamente, momentaneamente, aguarde, tente`,
  temporary: `temporariamente, momentaneamente`,
  lock: `outro processo, outro usuário, outra transação, sendo usado, sendo utilizado, em uso por, em uso pelo`,
  taken: `já existe, já está em uso, já cadastrad*, já utilizad*, duplicad*, já registrad*`,
  state: `
    já, fechad*, bloquead*, arquivad*, cancelad*, expirad*, expirou, desativad*, excluíd*, encerrada, suspens*,
    sessão expirou, sessão expirada
  `,
  unsupported: `não suportad*`,
  supported: `suportad*, compatível`,
  needed: `
    obrigatóri*, requerid*, faltando, ausente, vazio, vazia, necessári*, informe, preencha, informad*, requer,
    exige, certifique se
  `,
  invalid: `
    inválid*, incorret*, errad*, malformad*, erro de sintaxe, não pode ter, não pode ser, não é um, não é uma,
    não são, divisão por zero, dividir por zero, inesperad*, não terminad*, ambígu*, incompatível
  `,
  valid: `válid*, corret*, corresponde*`,
  absent: `
    não encontrad*, inexistente, desconhecid*, não existe, não há tal, nenhum arquivo, não reconhecid*, não definid*
  `,
  found: `encontrad*, existe, encontrar, localizad*`,
  expectation: `deve, devem, deveria, esperad*, por favor`,
  input: `
    campo, campos, valor, valores, parâmetro*, coluna, nome, formato, número, endereço, arquivo, quantidade, e mail,
    código
  `,
  failed: `falhou, falha, erro`,
  negation: `não, nenhum, nenhuma, sem, impossível`,
  service: `servidor, host`,
  answered: `responde, respondeu`,
  available: `disponível, disponíveis`,
  uninstalled: `não é reconhecido como um comando`
}

export const spanish: Vocabulary = {
  credential: `
    contraseña*, credenciales, usuario o contraseña, autenticación, iniciar sesión,
    sesión ha expirado, sesión expirada, clave de api, autenticado
  `,
  right: `permiso*, acceso, privilegio*, autorización, derechos`,
  denied: `denegad*, prohibid*, rechazad*, no autorizad*, bloqueado por`,
  permitted: `permitid*, autorizad*`,
  quota: `cuota*, créditos, cupo`,
  throttled: `demasiadas solicitudes, demasiadas peticiones, demasiados intentos`,
  rate: `solicitudes, peticiones`,
  memory: `memoria`,
  storage: `disco, espacio en disco, espacio, almacenamiento`,
  exhausted: `insuficiente*, agotad*, lleno, llena, falta de`,
  exceeded: `excedid*, excede, superad*, supera, alcanzad*, sobrepasa*, rebasad*`,
  comparison: `
    demasiado larg*, demasiado grande*, demasiado cort*, demasiado pequeñ*, mayor que, menor que, mayor, menor,
    al menos, como máximo, máximo, mínimo, superior, inferior, entre
  `,
  limit: `límite`,
  timeout: `tiempo de espera, tiempo agotado, se agotó el tiempo, tiempo límite`,
  link: `conexión`,
  broken: `interrumpid*, perdid*, cerrada inesperadamente, inalcanzable`,
  connected: `conectar, establecer, conectarse`,
  down: `sobrecargad*, mantenimiento, error interno, error inesperado, ha ocurrido un error, ocurrió un error`,
  again: `
    inténtelo, inténtalo, intente, vuelva a intentar*, más tarde, temporalmente, momentáneamente, espere, intenta,
    intenta de nuevo, nuevamente, vuelve a intentar*
  `,
  temporary: `temporalmente, momentáneamente`,
  lock: `otro proceso, otro usuario, otra transacción, siendo utilizado, está siendo, en uso por, interbloqueo`,
  taken: `ya existe, ya está en uso, ya registrad*, duplicad*, ya utilizad*, en uso`,
  state: `
    ya ha, ya fue, ya está, cerrad*, bloquead*, archivad*, cancelad*, expirad*, caducad*, desactivad*, eliminad*,
    suspendid*, vencid*,
    sesión ha expirado, sesión expirada
  `,
  unsupported: `no soportad*, no compatible`,
  supported: `soportad*, compatible, admite, admitid*`,
  needed: `
    obligatori*, requerid*, falta, faltan, vacío, vacía, necesari*, indicar, introduzca, requiere, requieren,
    asegúrese
  `,
  invalid: `
    inválid*, incorrect*, erróne*, no válid*, malformad*, error de sintaxis, no es válid*, no puede tener,
    no puede ser, no se puede asignar,
    no es un, no es una, no son,
    división por cero, dividir por cero, dividir entre cero, inesperado cerca, inesperada, sin terminar, sin cerrar,
    no reconocid*, mal formad*
  `,
  valid: `válid*, correct*, coincide*`,
  absent: `
    no encontrad*, inexistente, desconocid*, no existe, no hay tal, no hay ningún, no existe tal, no hay ninguna,
    no se encuentr*, no se encontr*
  `,
  found: `encontrad*, existe, existen, encontrar, encuentra, encontró`,
  expectation: `debe, deben, debería, esperad*, se esperaba, por favor, solo`,
  input: `
    campo, campos, valor, valores, parámetro*, columna, nombre, formato, fecha, número, dirección, archivo,
    cantidad, correo, importe, código
  `,
  failed: `falló, fallido, fallo`,
  negation: `no, ningún, ninguna, sin, imposible`,
  service: `servidor, host`,
  answered: `responde, respondió`,
  available: `disponible*`,
  uninstalled: `no se reconoce como un comando`
}
