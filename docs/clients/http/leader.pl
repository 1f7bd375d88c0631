use strict;
use warnings;
use HTTP::Tiny;
use Sys::Hostname;
use Time::HiRes qw(clock_gettime CLOCK_MONOTONIC);

my $lease = shift // die "usage: perl leader.pl LEASE\n";
my $holder = join '_', hostname, $$, time;
my $lock = "$ENV{SERVER}/apis/coordination.k8s.io/v1/namespaces/default/leases/$lease/lock?holder=$holder&duration=15s";
my %options = (verify_SSL => 1, SSL_options => {SSL_ca_file => $ENV{CA_FILE}}, default_headers => {Authorization => "Bearer $ENV{TOKEN}"});

sub ask { # the status is 599 if there is no answer
    my ($method, $wait) = (@_, 0);
    local $SIG{ALRM} = sub { die "no answer in time\n" }; # HTTP::Tiny's timeout does not end a read over TLS
    alarm $wait + 2;
    my $answer = HTTP::Tiny->new(%options)->request($method, "$lock&wait=${wait}s");
    alarm 0;
    return $answer;
}

my $answer;
while (($answer = ask('PUT', 30))->{status} != 200) {
    warn $answer->{content};
    sleep 1;
}
my $token = $answer->{headers}{'lease-token'};
$SIG{TERM} = $SIG{INT} = sub { exit 0 };
END { ask('DELETE') if $token }
$| = 1;
print "leading $token\n";
for (my $held_until = 0; ; sleep 2) {
    my $sent = clock_gettime(CLOCK_MONOTONIC);
    my $status = ask('PUT')->{status};
    $held_until = $sent + 10 if $status == 200;
    last if $status == 423 || clock_gettime(CLOCK_MONOTONIC) > $held_until;
    # one step of the work, with the token
}
print "lost\n";
exit 1;
