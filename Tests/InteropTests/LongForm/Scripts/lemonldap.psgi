# The portal of LemonLDAP::NG as its package's index.psgi runs it, with the folder of lemonldap_server.py for its files.
use strict;
use warnings;

# A module for pictures, which no page shows here, wants it.
BEGIN { $INC{'Image/Magick.pm'} = __FILE__ }

use Lemonldap::NG::Portal::Main;
use Lemonldap::NG::Portal::Auth::Demo;
use Lemonldap::NG::Portal::Main::Constants qw(PE_OK PE_BADCREDENTIALS);
use Lemonldap::NG::Portal::UserDB::Demo;

my $folder = $ENV{LEMONLDAP_FOLDER};

# The accounts of its demonstration are others, whose passwords are their names.
$Lemonldap::NG::Portal::UserDB::Demo::demoAccounts{alice} = { uid => 'alice', cn => 'Alice', mail => 'alice@example.com' };
{
    no warnings 'redefine';
    *Lemonldap::NG::Portal::Auth::Demo::authenticate = sub {
        my ( $self, $req ) = @_;
        return $req->data->{password} eq 'alicepassword' ? PE_OK : PE_BADCREDENTIALS;
    };
}

Lemonldap::NG::Portal::Main->run( {
    configStorage              => { type => 'File', dirName => "$folder/configuration" },
    localSessionStorage        => 'Cache::FileCache',
    localSessionStorageOptions => { cache_root => "$folder/cache", namespace => 'tests', default_expires_in => 600 },
    logLevel                   => 'error',
    useSafeJail                => 0,
    templateDir                => '/usr/share/lemonldap-ng/portal/templates',
} );
