# MIME::Tools and Email::MIME, as far as they are installed. Paths in, one JSON line a message out.
use strict;
use warnings;
no warnings;
use Encode;
use JSON::PP;

my $json = JSON::PP->new->ascii->allow_nonref;
my $tools = eval { require MIME::Parser; 1 };
my $mime  = eval { require Email::MIME;  1 };

sub decoded {
    my ($bytes, $charset) = @_;
    my $encoding = $charset ? find_encoding($charset) : undef;
    my $text;
    $text = eval { $encoding->decode(my $copy = $bytes) } if $encoding;
    $text //= eval { decode('utf-8', my $copy = $bytes, Encode::FB_CROAK) };
    return $text // decode('latin1', $bytes);
}

sub leaf { my ($type, $name, $text) = @_; return { type => lc($type // ''), name => $name // '', text => $text } }

sub by_tools {
    my ($raw) = @_;
    my $parser = MIME::Parser->new;
    $parser->output_to_core(1);
    $parser->tmp_to_core(1);
    $parser->extract_nested_messages('NEST');
    $parser->extract_uuencode(1);
    my ($entity, @parts) = ($parser->parse_data($raw));
    my @open = ($entity);
    while (my $one = shift @open) {
        if ($one->parts) { unshift @open, $one->parts; next }
        my $body = $one->bodyhandle or next;
        my $charset = $one->head->mime_attr('content-type.charset');
        push @parts, leaf($one->mime_type, $one->head->recommended_filename, decoded($body->as_string, $charset));
    }
    return @parts;
}

sub by_mime {
    my ($raw) = @_;
    my (@parts, @open);
    push @open, $raw;
    while (defined(my $bytes = shift @open)) {
        Email::MIME->new($bytes)->walk_parts(sub {
            my ($one) = @_;
            return if $one->subparts;
            my ($type) = ($one->content_type // 'text/plain') =~ m{^\s*([^;\s]+)};
            my ($charset) = ($one->content_type // '') =~ /charset="?([^";\s]+)/i;
            push @parts, leaf($type, eval { $one->filename }, eval { $one->body_str } // decoded($one->body, $charset));
            push @open, $one->body if lc($type // '') eq 'message/rfc822' and @parts < 50;
        });
    }
    return @parts;
}

while (my $path = <STDIN>) {
    chomp $path;
    open my $in, '<:raw', $path or next;
    my $raw = do { local $/; <$in> };
    close $in;
    for my $program (['MIME::Tools', \&by_tools, $tools], ['Email::MIME', \&by_mime, $mime]) {
        my ($name, $parts, $there) = @$program;
        next unless $there;
        my (@parts, $late);
        eval { local $SIG{ALRM} = sub { $late = 1; die }; alarm 10; @parts = $parts->($raw); };
        alarm 0;
        print $json->encode({ file => $path, program => $name, parts => \@parts, $late ? (late => 1) : () }), "\n";
    }
}
