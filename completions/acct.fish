# fish completion for acct(1). Written by completions/generate from completions/fish.engine; `make completions` writes it anew.

# What may follow a command; an option that takes a value is written with its kind.
function __acct_grammar -S
    set commands
    set options
    set arguments
    switch $argv[1]
        case ''
            set commands 'add'\t'Add an account' \
                'login'\t'Sign in to an account again' \
                'list'\t'Show every account' \
                'switch'\t'Make an account the active one' \
                'status'\t'Show one account, and whether a header can be printed for it' \
                'header'\t'Print the header lines for one request' \
                'token'\t'Print the access token, or the ID token, alone on a line' \
                'log'\t'Show the last events of each account: sign-ins, renewals, uses, refusals, exports' \
                'metrics'\t'Print the states of accounts and keyring for Prometheus' \
                'request'\t'Make a request as an account' \
                'proxy'\t'Serve unchanged clients: add this account'\''s headers to their requests' \
                'observe'\t'Read nonces and limits from a response'\''s headers on standard input' \
                'limits'\t'Show what is left, of how much, and when it resets' \
                'refresh'\t'Renew credentials that are due' \
                'rotate'\t'Replace credentials after a leak, and end the former ones at the server' \
                'remove'\t'Remove accounts and everything stored for them' \
                'rename'\t'Give an account another name' \
                'allow'\t'Allow an account'\''s headers to be sent to one more origin, or choose it below a path' \
                'key'\t'Show, list or restore the DPoP keys of accounts' \
                'export'\t'Write accounts to one passphrase-encrypted file, for `acct add --import FILE`' \
                'exec'\t'Run a command with the token in its environment' \
                'helper'\t'Answer another program in its credential protocol' \
                'providers'\t'Show the servers that `acct add` knows by name, or one of them' \
                'vault'\t'Unlock, lock, seal, reset, or change the passphrase of the encrypted-file keyring' \
                'keyring'\t'Show, unlock or lock the keyring, share one with other machines, or move the accounts' \
                'doctor'\t'Check keyring, files and clock, and say how to fix problems' \
                'help'\t'Show how a command is used'
            set options '--json'\t'Print one JSON object; errors too, on standard error' \
                '--no-color'\t'Use no colour' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step'
        case 'add'
            set options '--import=file'\t'Import credentials from a JSON file, or an export; - is stdin' \
                '--passphrase-file=file'\t'Read an export'\''s passphrase from your own file (or ACCT_EXPORT_PASSPHRASE_FILE)' \
                '--issuer='\t'Sign in at an OAuth 2 server' \
                '--backend='\t'Sign in at a backend that hands over its tokens' \
                '--session='\t'Sign in at a backend that keeps the tokens itself' \
                '--guest='\t'Begin a guest session at a backend' \
                '--token=file'\t'Add a token or an API key that a file of your own contains; - is stdin' \
                '--header='\t'The header that contains the token; Authorization by default' \
                '--scheme='\t'The word before the token; Bearer by default; none sends the token alone' \
                '--basic='\t'Send the token as the password of this user (Basic)' \
                '--query='\t'Send the token in the URL'\''s query, as this parameter' \
                '--expires='\t'When the token ends: a date or a time' \
                '--from==gh glab git netrc docker cargo oidc-agent env list'\t'Add the logins that another program keeps, or the keys of a .env file; list shows what there is' \
                '--dry-run'\t'With --from, show what would be added, and add nothing' \
                '--rewrite'\t'With --from env, write the file with references in place of the keys' \
                '--undo'\t'With --from env, put the keys back in the place of the references' \
                '--yes'\t'With --from env, ask nothing before the file is changed' \
                '--client-id='\t'The client'\''s id' \
                '--scope='\t'The scope to ask for' \
                '--resource='\t'A resource server that the token is for (RFC 8707)' \
                '--device'\t'Sign in on another device: show a code to enter there' \
                '--no-browser'\t'Open no browser: print the address, and read the callback address from stdin, too' \
                '--browser='\t'Open the address with this command, this time; as BROWSER names one' \
                '--redirect-port='\t'The loopback port to listen on; a free one by default' \
                '--callback='\t'Where a backend'\''s sign-in ends, as in limit://auth' \
                '--wait='\t'How long to wait for the browser'\''s answer' \
                '--send='\t'The token for resource servers: access-token, or id-token for those that take it, as clusters do' \
                '--client-secret-file=file'\t'Read the client'\''s secret from your own file; - is stdin' \
                '--client-auth==none basic post private-key tls assertion-file'\t'How the client authenticates itself; by the metadata if not given' \
                '--client-key=file'\t'Read the client'\''s private key from your own file: PEM, a JWK, or a service account'\''s' \
                '--grant==client-credentials jwt-bearer token-exchange'\t'Sign in without a person; each renewal requests the same again' \
                '--subject-token-file=file'\t'Exchange the token that this file has at each renewal' \
                '--subject-token-command='\t'Exchange the token that this program prints at each renewal' \
                '--subject-account=account'\t'Exchange the token of another account' \
                '--subject-type='\t'The type of the token to exchange: id, access, jwt or a URI' \
                '--requested-type='\t'The type of token to ask for: id, access, jwt or a URI' \
                '--audience='\t'A service that the exchanged token is for, by its name at the server' \
                '--client-assertion-file=file'\t'Authenticate the client by the JWT that this file has each time' \
                '--assertion-file=file'\t'Use the JWT that this file has each time as the grant' \
                '--authorize-url='\t'The authorization endpoint' \
                '--token-url='\t'The token endpoint; without --issuer, in place of metadata' \
                '--device-url='\t'The device authorization endpoint' \
                '--revoke-url='\t'The revocation endpoint' \
                '--userinfo-url='\t'The userinfo endpoint' \
                '--param='\t'One more parameter of the authorization request' \
                '--token-param='\t'One more parameter of each token request' \
                '--redirect-uri='\t'The redirect address on this machine as it is registered' \
                '--register'\t'Have the server register a new client, in place of the earlier one' \
                '--no-dpop'\t'Request bearer tokens, even of a server with DPoP' \
                '--cert=file'\t'The client'\''s certificate for TLS and its chain, in PEM or a token' \
                '--cert-key=file'\t'The certificate'\''s private key, in your own PEM file or a token' \
                '--key='\t'Where the DPoP key is made: software, tpm, tpm:SPEC or pkcs11:URI' \
                '--pin'\t'Give the new key in the TPM a PIN' \
                '--name='\t'The name of the account' \
                '--no-switch'\t'Do not make it the active account' \
                '--replace'\t'Replace newer tokens of the account, or a token for other origins' \
                '--allow-origin='\t'One more origin that its headers may be sent to' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'provider'
        case 'login'
            set options '--scope='\t'The scope to ask for, from now on; '\'''\'' is the server'\''s usual one' \
                '--device'\t'Sign in on another device, this time: show a code to enter there' \
                '--no-browser'\t'Open no browser: print the address, and read the callback address from stdin, too' \
                '--browser='\t'Open the address with this command, this time; as BROWSER names one' \
                '--wait='\t'How long to wait for the browser'\''s answer' \
                '--param='\t'One more parameter of the authorization request, this time' \
                '--client-id='\t'Another client'\''s id, from now on' \
                '--register'\t'Have the server register a new client, in place of the earlier one' \
                '--client-secret-file=file'\t'Read the client'\''s secret from your own file; - is stdin' \
                '--client-key=file'\t'Read the client'\''s private key from your own file' \
                '--cert=file'\t'The client'\''s certificate for TLS and its chain, in PEM or a token' \
                '--cert-key=file'\t'The certificate'\''s private key, in your own PEM file or a token' \
                '--no-dpop'\t'Request bearer tokens from now on, even of a server with DPoP' \
                '--token=file'\t'Read a static account'\''s new token from your own file; - is stdin' \
                '--key='\t'Where the DPoP key is made: software, tpm, tpm:SPEC or pkcs11:URI' \
                '--pin'\t'Give the new key in the TPM a PIN' \
                '--end-former'\t'End the former session at the server, once the new one is stored; status 4 if that fails' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'list'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'switch'
            set options '--here'\t'For this folder and all below it: write .acct' \
                '--add'\t'With --here: keep the names that .acct has' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account*'
        case 'status'
            set options '--check'\t'Ask the server, too' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'header'
            set options '--format==lines curl json map'\t'As header lines, as a config for `curl -K -`, as JSON, or as a map of names to values' \
                '--min-valid='\t'Renew the token if it expires within this time' \
                '--offline'\t'Do not renew: use the stored credentials' \
                '--bearer'\t'Send a sealed session as a bearer token instead of a cookie' \
                '--audience='\t'Use a token for another audience' \
                '--scope='\t'Use a token with only this scope' \
                '--credentials=file'\t'Use the account of this document alone, and keep nothing; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'request*'
        case 'token'
            set options '--min-valid='\t'Renew the token if it expires within this time' \
                '--offline'\t'Do not renew: use the stored credentials' \
                '--id'\t'Print the ID token, which says who signed in' \
                '--sasl==xoauth2 oauthbearer'\t'Print the initial response of SASL with the token, in base64' \
                '--user='\t'The user name in the response of SASL' \
                '--audience='\t'Use a token for another audience' \
                '--scope='\t'Use a token with only this scope' \
                '--credentials=file'\t'Use the account of this document alone, and keep nothing; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'url'
        case 'log'
            set options '--since='\t'Leave out what is older: 2d, 12h, 30min, or a date as in 2027-01-31' \
                '--used'\t'Show when each account was last used here, by which program, and for which origin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'metrics'
            set options '--anonymous'\t'Leave names out: an account is its random id' \
                '-o=file'\t'Replace a file, which any user may then read' \
                '--output=file'\t'Replace a file, which any user may then read' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'request'
            set options '-H='\t'One more header line' \
                '--header='\t'One more header line' \
                '-d='\t'The body: literal text, @FILE, or - for standard input' \
                '--data='\t'The body: literal text, @FILE, or - for standard input' \
                '-i'\t'Print the status line and the headers, too' \
                '--include'\t'Print the status line and the headers, too' \
                '-L'\t'Follow redirects of GET and HEAD within the account'\''s own origins' \
                '--follow'\t'Follow redirects of GET and HEAD within the account'\''s own origins' \
                '-o=file'\t'Write to a file, which is replaced only when the body is complete' \
                '--output=file'\t'Write to a file, which is replaced only when the body is complete' \
                '--retry='\t'Retry at most this often after a rate limit, 5xx or a network failure' \
                '--audience='\t'Use a token for another audience' \
                '--scope='\t'Use a token with only this scope' \
                '--credentials=file'\t'Use the account of this document alone, and keep nothing; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'request*'
        case 'proxy'
            set options '--socket=file'\t'The path of the socket' \
                '--port='\t'A port of 127.0.0.1 instead; 0 is a free one' \
                '--all'\t'Serve every account: the Host of a request selects it' \
                '--to='\t'With --port: send every request to this origin of the account' \
                '--credentials=file'\t'Use the account of this document alone, and keep nothing; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'observe'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'url'
        case 'limits'
            set options '--all'\t'Every account' \
                '--check'\t'Exit with 9 if nothing is left of a limit' \
                '--watch'\t'Show them until Ctrl-C, as they change' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'refresh'
            set options '--all'\t'Every account' \
                '--force'\t'Renew even if it is not due, or its session has ended' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'rotate'
            set options '--all'\t'All accounts' \
                '--token=file'\t'Read a static account'\''s new token from your own file; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account*'
        case 'remove'
            set options '--all'\t'All accounts' \
                '--local'\t'Do not tell the server' \
                '--yes'\t'Do not ask' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account*'
        case 'rename'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account' ''
        case 'allow'
            set options '--revoke'\t'Revoke the permission' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account' 'origin'
        case 'key'
            set commands 'show'\t'Print the public key as a JWK' \
                'thumbprint'\t'Print the key'\''s RFC 7638 thumbprint' \
                'import'\t'Store a private JWK, if it is the key of the account'\''s tokens' \
                'list'\t'List the TPM, the tokens and their keys, and the accounts that use them'
            set options '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'key show'
            set options '--private'\t'Print the private key' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'key thumbprint'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'key import'
            set options '--file=file'\t'Where the JWK is read from; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account'
        case 'key list'
            set options '--hardware'\t'List keys in devices' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments ''
        case 'export'
            set options '--all'\t'Every account' \
                '-o=file'\t'Where to write; standard output unless that is a terminal' \
                '--output=file'\t'Where to write; standard output unless that is a terminal' \
                '--force'\t'Replace an existing file' \
                '--passphrase-file=file'\t'Read the passphrase from your own file instead (or ACCT_EXPORT_PASSPHRASE_FILE)' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'account*'
        case 'exec'
            set options '--for='\t'The URL that the token is for, which selects an account that has it' \
                '--env='\t'The variable that holds the token; NAME=ACCOUNT for that of another account' \
                '--env-file=file'\t'Take variables from a .env file, with acct://ACCOUNT for a token; - is stdin' \
                '--id-token-file='\t'The variable that names a file with the ID token' \
                '--token-file='\t'The variable that names a file with the token' \
                '--min-valid='\t'Renew the token if it expires within this time' \
                '--offline'\t'Do not renew: use the stored credentials' \
                '--credentials=file'\t'Use the account of this document alone, and keep nothing; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'command*'
        case 'helper'
            set commands 'setup'\t'Have another program ask acct for credentials, or undo that' \
                'git'\t'A program' \
                'docker'\t'A program' \
                'kubectl'\t'A program' \
                'bazel'\t'A program' \
                'go'\t'A program' \
                'cargo'\t'A program' \
                'keyring'\t'A program' \
                'google'\t'A program' \
                'terraform'\t'A program' \
                'aws'\t'A program'
            set options '--audience='\t'Use a token for another audience' \
                '--scope='\t'Use a token with only this scope' \
                '--credentials=file'\t'Use the account of this document alone, and keep nothing; - is stdin' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'helper setup'
            set options '--host='\t'Change the settings for one server only' \
                '--role-arn='\t'Of aws: the role whose keys the account gets' \
                '--profile='\t'Of aws: the profile that gets them, instead of acct' \
                '--undo'\t'Take back what acct has changed' \
                '--dry-run'\t'Show the change, and make none' \
                '--yes'\t'Ask nothing, also where the program drops lines that are not acct'\''s' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments '=git docker kubectl cargo go pip terraform aws'
        case 'providers'
            set options '--keys'\t'Show those whose accounts have an API key or a token' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments 'provider'
        case 'vault'
            set commands 'unlock'\t'Ask for the passphrase once, and not again for a while' \
                'lock'\t'Forget the passphrase at once' \
                'passphrase'\t'Change the passphrase; the items stay as they are' \
                'seal'\t'Let this machine'\''s TPM open the vault, without a passphrase' \
                'unseal'\t'Let only the passphrase open the vault, which is asked for once more' \
                'reset'\t'Delete the vault whose passphrase is lost; the accounts stay, and sign in again'
            set options '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'vault unlock'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'vault lock'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'vault passphrase'
            set options '--new-passphrase-file=file'\t'Where the new passphrase is read from' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'vault seal'
            set options '--tpm=file'\t'Another TPM: a device, a socket, or swtpm:host=H,port=N' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'vault unseal'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'vault reset'
            set options '--yes'\t'Do not ask' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring'
            set commands 'status'\t'Show which keyring is used, where it is, and whether it is available' \
                'unlock'\t'Unlock the keyring in use: by the desktop'\''s prompt, or by its passphrase' \
                'lock'\t'Lock the keyring in use, for all programs that use it' \
                'create'\t'Make a keyring on etcd or PostgreSQL that other machines can join' \
                'join'\t'Join a keyring that another machine has made' \
                'approve'\t'Let in the machine that shows a code' \
                'machines'\t'List the machines that share the keyring, and everything that opens it' \
                'remove'\t'Remove a machine from the shared keyring, and change the key' \
                'rekey'\t'Change the keyring'\''s key, and encrypt everything anew, while other machines work' \
                'move'\t'Move all accounts to another keyring: all of them, or none' \
                'leave'\t'Stop sharing a keyring on this machine; the engine keeps the accounts' \
                'trust'\t'Accept a shared keyring that was restored from a backup'
            set options '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring status'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring unlock'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring lock'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring create'
            set options '--name='\t'The keyring'\''s name there' \
                '--cert=file'\t'This machine'\''s certificate (etcd)' \
                '--key=file'\t'The key of that certificate (etcd)' \
                '--ca=file'\t'The authority that issued the engine'\''s certificates' \
                '--user='\t'The user of etcd' \
                '--password-file=file'\t'Your own file with the user'\''s or the role'\''s password' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments '' '*'
        case 'keyring join'
            set options '--name='\t'The keyring'\''s name there' \
                '--cert=file'\t'This machine'\''s certificate (etcd)' \
                '--key=file'\t'The key of that certificate (etcd)' \
                '--ca=file'\t'The authority that issued the engine'\''s certificates' \
                '--user='\t'The user of etcd' \
                '--password-file=file'\t'Your own file with the user'\''s or the role'\''s password' \
                '--code'\t'Join by a code, with a key of this machine'\''s own, even with a passphrase or key file' \
                '--machine-key='\t'Join by a code, with a key that is made there: software, tpm or tpm:SPEC' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments '' '*'
        case 'keyring approve'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments ''
        case 'keyring machines'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring remove'
            set options '--renew'\t'Renew every account afterwards' \
                '--drop-shared'\t'Let no passphrase and no key file open the keyring any more' \
                '--new-passphrase-file=file'\t'A file with the keyring'\''s new passphrase' \
                '--new-key-file=file'\t'A file of 32 random bytes, the keyring'\''s new key file' \
                '--keep='\t'A passphrase, key file or machine that goes on opening the keyring' \
                '--drop='\t'A passphrase, key file or machine that opens the keyring no more' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments ''
        case 'keyring rekey'
            set options '--new-passphrase-file=file'\t'A file with the keyring'\''s new passphrase' \
                '--new-key-file=file'\t'A file of 32 random bytes, the keyring'\''s new key file' \
                '--keep='\t'A passphrase, key file or machine that goes on opening the keyring' \
                '--drop='\t'A passphrase, key file or machine that opens the keyring no more' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring move'
            set options '--remove'\t'Remove them from the shared keyring, for all machines' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
            set arguments ''
        case 'keyring leave'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'keyring trust'
            set options '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'doctor'
            set options '--repair'\t'Fix problems that need no decision' \
                '--offline'\t'Ask no server for the time' \
                '--report'\t'Print what a report of a bug needs, without secrets and names' \
                '-a=account'\t'The account: its name, handle, DID or id' \
                '--account=account'\t'The account: its name, handle, DID or id' \
                '--json'\t'Print one JSON object; errors too, on standard error' \
                '-q'\t'Print only errors' \
                '--quiet'\t'Print only errors' \
                '-v'\t'Print each step' \
                '--verbose'\t'Print each step' \
                '--no-input'\t'Never prompt, and open no browser' \
                '--no-color'\t'Use no colour' \
                '--timeout='\t'The time limit for the network, 30 if left out' \
                '--version'\t'Show the version' \
                '-h'\t'Show help information' \
                '--help'\t'Show help information'
        case 'help'
            set commands 'add'\t'Add an account' \
                'login'\t'Sign in to an account again' \
                'list'\t'Show every account' \
                'switch'\t'Make an account the active one' \
                'status'\t'Show one account, and whether a header can be printed for it' \
                'header'\t'Print the header lines for one request' \
                'token'\t'Print the access token, or the ID token, alone on a line' \
                'log'\t'Show the last events of each account: sign-ins, renewals, uses, refusals, exports' \
                'metrics'\t'Print the states of accounts and keyring for Prometheus' \
                'request'\t'Make a request as an account' \
                'proxy'\t'Serve unchanged clients: add this account'\''s headers to their requests' \
                'observe'\t'Read nonces and limits from a response'\''s headers on standard input' \
                'limits'\t'Show what is left, of how much, and when it resets' \
                'refresh'\t'Renew credentials that are due' \
                'rotate'\t'Replace credentials after a leak, and end the former ones at the server' \
                'remove'\t'Remove accounts and everything stored for them' \
                'rename'\t'Give an account another name' \
                'allow'\t'Allow an account'\''s headers to be sent to one more origin, or choose it below a path' \
                'key'\t'Show, list or restore the DPoP keys of accounts' \
                'export'\t'Write accounts to one passphrase-encrypted file, for `acct add --import FILE`' \
                'exec'\t'Run a command with the token in its environment' \
                'helper'\t'Answer another program in its credential protocol' \
                'providers'\t'Show the servers that `acct add` knows by name, or one of them' \
                'vault'\t'Unlock, lock, seal, reset, or change the passphrase of the encrypted-file keyring' \
                'keyring'\t'Show, unlock or lock the keyring, share one with other machines, or move the accounts' \
                'doctor'\t'Check keyring, files and clock, and say how to fix problems' \
                'help'\t'Show how a command is used'
        case 'help key'
            set commands 'show'\t'Print the public key as a JWK' \
                'thumbprint'\t'Print the key'\''s RFC 7638 thumbprint' \
                'import'\t'Store a private JWK, if it is the key of the account'\''s tokens' \
                'list'\t'List the TPM, the tokens and their keys, and the accounts that use them'
        case 'help helper'
            set commands 'setup'\t'Have another program ask acct for credentials, or undo that'
        case 'help vault'
            set commands 'unlock'\t'Ask for the passphrase once, and not again for a while' \
                'lock'\t'Forget the passphrase at once' \
                'passphrase'\t'Change the passphrase; the items stay as they are' \
                'seal'\t'Let this machine'\''s TPM open the vault, without a passphrase' \
                'unseal'\t'Let only the passphrase open the vault, which is asked for once more' \
                'reset'\t'Delete the vault whose passphrase is lost; the accounts stay, and sign in again'
        case 'help keyring'
            set commands 'status'\t'Show which keyring is used, where it is, and whether it is available' \
                'unlock'\t'Unlock the keyring in use: by the desktop'\''s prompt, or by its passphrase' \
                'lock'\t'Lock the keyring in use, for all programs that use it' \
                'create'\t'Make a keyring on etcd or PostgreSQL that other machines can join' \
                'join'\t'Join a keyring that another machine has made' \
                'approve'\t'Let in the machine that shows a code' \
                'machines'\t'List the machines that share the keyring, and everything that opens it' \
                'remove'\t'Remove a machine from the shared keyring, and change the key' \
                'rekey'\t'Change the keyring'\''s key, and encrypt everything anew, while other machines work' \
                'move'\t'Move all accounts to another keyring: all of them, or none' \
                'leave'\t'Stop sharing a keyring on this machine; the engine keeps the accounts' \
                'trust'\t'Accept a shared keyring that was restored from a backup'
        case '*'
            return 1
    end
    # Fish's `set` leaves the status as it was.
    return 0
end

# Prints what may stand at the cursor; fish picks what fits, and quotes it.
function __acct_candidates
    # Fish 4 has another word for the tokens without their quotes.
    set -l words (commandline --tokens-expanded -pc 2>/dev/null; or commandline -opc)
    set -l current (commandline -ct)
    set -l acct $words[1]
    set -l commands
    set -l options
    set -l arguments
    set -l at ''
    set -l account
    set -l kind
    set -l ended
    set -l places
    set -l option
    __acct_grammar ''

    set -l index 1
    for word in $words[2..]
        set index (math $index + 1)
        if set -q kind[1]
            contains -- $option -a --account; and set account $word
            set kind
        else if test "$word" = --; and not set -q ended[1]
            set ended yes
        else if string match -q -- '--account=*' $word; and not set -q ended[1]
            set account (string replace -- --account= '' $word)
        else if string match -qr -- '^-.' $word; and not set -q ended[1]
            set option $word
            __acct_takes $word
        else if set -q commands[1]
            set at (string trim -- "$at $word")
            __acct_grammar $at; or return
        else
            set -a places $word
            # The rest is another program's command line.
            if string match -q 'command*' -- $arguments[(count $places)]
                complete -C (string join ' ' -- (string escape -- $words[$index..]) $current)
                return
            end
        end
    end

    if set -q kind[1]
        __acct_values $kind $current
    else if string match -qr -- '^--[^=]+=' $current; and not set -q ended[1]
        set -l parts (string split -m 1 = -- $current)
        if __acct_takes $parts[1]
            set -l value $parts[2]
            for each in (__acct_values $kind $value)
                printf '%s=%s\n' $parts[1] $each
            end
        end
    else if string match -q -- '-*' $current; and not set -q ended[1]
        test "$at" = switch; and printf '%s\t%s\n' - 'the previous one'
        string replace -r -- '^(-[^=\t]+)=[^\t]*' '$1' $options
    else if set -q commands[1]
        printf '%s\n' $commands
    else
        # Only the last argument repeats.
        set -l place (math (count $places) + 1)
        if test $place -gt (count $arguments); and string match -q '*\*' -- $arguments[-1]
            set place (count $arguments)
        end
        set -q arguments[$place]; and test $place -ge 1
        and __acct_values (string replace '*' '' -- $arguments[$place]) $current
    end
end

# Prints the values of one kind.
function __acct_values -S -a wanted value
    switch $wanted
        case '=*'
            string split ' ' -- (string sub -s 2 -- $wanted)
        case account
            $acct complete accounts 2>/dev/null </dev/null
            test "$at" = switch; and printf '%s\t%s\n' - 'the previous one'
        case provider
            $acct complete providers 2>/dev/null </dev/null
        case origin
            # `allow` names the account before the origin.
            test "$at" = allow; and set account $places[1]
            __acct_origins
        case url request
            # A path follows an origin, a URL follows a method.
            __acct_origins | string replace -r '$' /
            if test $wanted = request; and not set -q places[1]
                printf '%s\n' GET HEAD POST PUT PATCH DELETE OPTIONS
            end
        case file
            __fish_complete_path $value
        case command
            if set -q ended[1]
                __fish_complete_command
            else
                printf '%s\n' --
            end
    end
end

function __acct_origins -S
    set -l chosen
    set -q account[1]; and set chosen --account=$account
    $acct complete origins $chosen 2>/dev/null </dev/null
end

# Whether an option takes a value; puts what that is into `kind`.
function __acct_takes -S
    for each in $options
        set -l parts (string split -m 1 = -- (string split -f 1 \t -- $each))
        test "$parts[1]" = "$argv[1]"; and set -q parts[2]; or continue
        set kind $parts[2]
        return 0
    end
    return 1
end

complete -c acct -f -a '(__acct_candidates)'
