package main

const usage = `usage: filesort [options] [FILE]...
       filesort -by COLUMNS [options] [FILE]
       filesort -record N [-key FROM:TO]... [options] [FILE]...

Sorts lines as LC_ALL=C sort does, CSV, TSV, JSON, Parquet and Arrow by columns
(-by), and fixed-size binary records (-record). FILE may be - for standard input, which is
also read if there is none. Files that are compressed with gzip or zstd are
decompressed. Rows come out byte for byte as they went in.

For all kinds of files:

  -o FILE          write to FILE instead of standard output; it may be an input
                   file, and keeps its content until the sort succeeded; a
                   device, a pipe or /dev/stdout is written to directly
  -split S         write several files, which -o names by their number, counted
                   from 0: -o part-%05d.csv. S is a size with its unit (256M,
                   before compression), rows=N, or key, a file for all rows that
                   tie in the first key or column, or key=N, in the first N.
                   Each has the header
  -top K           only the first K rows of the order
  -u[=value]       only the first of rows that tie; with =value also of those
                   whose values tie in a type that -by does not name
  -keep K          with -u: which of them, first or last (default first)
  -count[=NAME]    with -u: how many rows tie, before each line as uniq -c has
                   it, in a last column or a last member NAME (default count)
  -c, -C           report whether the input is sorted, -C without a message
  -m               merge sorted files
  -z               lines, and rows of CSV and TSV, end with NUL
  -skip N          the first N lines of each file are not sorted: those of the
                   first file stay on top, and the others have to be the same
  -comment C       lines that begin with C are not sorted, in quotes of csv
                   excepted: they stay on top, in their order
  -shuffle [-seed N]
                   in a random order, that of the seed if it is given; rows of
                   columns, with the header on top, with -format or another
                   option of columns in place of -by; goes with -top and -per
  -S SIZE          memory: a number with b, K, M, G, T and so on up to Q, or % of
                   what is free; K if there is none
                   (default half of what is free); what does not fit is sorted
                   through files on disk, with the same output
  -T DIR           folder of these files; several take turns (default: the first
                   of $TMPDIR, /var/tmp and /tmp that is not kept in memory)
  --parallel N     use N processors (default all)
  --compress C     of the output: none, gzip, zstd or auto (default auto: by its
                   name, .gz or .zst); with none, inputs are read as they are
  -stats           say on standard error what was found and where time went;
                   with -stats=json as a line of JSON, in bytes and nanoseconds
  -quiet           no progress bar (there is one only on a terminal and when
                   it takes longer than half a second)
  --version        the versions of filesort, of its library and of Go
  --man            this text as a manual page: filesort --man | man -l -
  --completion S   a script that completes command lines in bash, zsh or fish
  -h, --help       this text (-h together with anything else is that of sort)

Lines:

  -k F[.C][OPTS][,F[.C][OPTS]]
                   a key: from character C of field F to the end of the line, or
                   to the second position; several decide one after the other
  -t C             fields are separated by C (default: where blanks begin)
  -b -d -f -g -h -i -M -n -r -R -V
                   order: without leading blanks, letters digits and blanks only,
                   upper case for lower, floats, numbers with units such as 2K,
                   printable characters only, months, numbers of any length,
                   reverse, a random order of keys in which those that are the
                   same stand together, versions; OPTS are the same letters
  --sort W         the same: general-numeric, human-numeric, month, numeric,
                   random or version
  --random-source F
                   the first 16 bytes of F choose the order of -R; so does -seed
  +POS1 [-POS2]    an old form of -k, which counts from 0; a message names the new
  -s               lines whose keys tie keep their order
  --debug          mark the keys under each line, and say on standard error what
                   may not be meant
  --locale L       text in the order of a language and numbers in its notation,
                   those of CLDR: de_DE.UTF-8, where spaces and punctuation
                   matter last, or a tag such as de, where they are characters;
                   env is that of LC_ALL, LC_COLLATE or LANG (default C: bytes)
  --files0-from F  file names, each ended by NUL, are in F
  --batch-size N, --compress-program P, -y N
                   of sort, without effect

Records:

  -record N        records have N bytes
  -key FROM:TO     sort by these bytes, counted from 0, TO not included; with an
                   r at the end descending; several decide one after the other
                   (default: all bytes). -r and -s go as well

Columns:

  -by COLUMNS      what to sort by, the deciding column first (see below); a
                   header stays on top
  -format F        csv, tsv, ndjson, json, parquet, arrow (a file of Arrow IPC),
                   arrows (a stream of it) or auto (default auto: by the first
                   bytes or the name, then by the first line); json is one array
                   of objects, and so is the output
  -to F            what the output is: parquet, arrow, arrows, or, of these, csv,
                   tsv or ndjson (default: by its name, .parquet, .pq, .arrow,
                   .feather, .ipc, .arrows, .csv, .tsv, .ndjson; else as the input)
  -delimiter C     character or characters between the fields of csv (default ,)
  -quotes Q        strict: "..." as in RFC 4180 (default for csv)
                   lazy:   quotes at odd places are text
                   none:   quotes are text (default for tsv)
  -header H        yes, no or auto (default auto: yes if -by names a column,
                   or if the first row has no number, date, boolean or
                   repeated field)
  -no-header       the same as -header no
  -per COLUMNS     with -top: the first K rows of each group that these columns
                   make; groups are in the order of the columns, which may have
                   the words of -by
  -R               rows whose values are the same in the columns of -by stand
                   together, in a random order of these values; -seed and
                   --random-source choose it
  -null WORDS      further words that mean null, separated by commas; empty
                   fields always do, in NDJSON null and a missing member do
  -stable          rows that tie keep their order (default true)

COLUMNS is a list of NAME[:WORD]... separated by commas. NAME is a name of the
header or a number, the first column being 1; in NDJSON it is a member, where
a.b.0 means element 0 of member b of member a. A name that holds a comma, a
colon or a dot is written in double quotes. WORD is any of

  asc desc                    direction (default asc)
  nullsfirst nullslast        where nulls go, whatever the direction
                              (default nullslast)
  int float bool time string  type (default: the first of these that all values
                              of the column are, nulls aside)
  fold                        letters of both cases are the same; goes with
                              string, natural and version
  natural version             numbers inside of text by value; versions as -V
  lang=L                      text in the order of a language: lang=de, lang=sv_SE
  human                       numbers with units: 2K is 2000, 2Ki or 2KiB 2048
  month                       jan, January, 1 and so on
  ip uuid                     addresses and prefixes; UUIDs however written
  duration                    1h30m, 250ms, 2d, PT5M, 36:00:00
  date=FORMAT                 dates by the directives of strftime, in double
                              quotes if it holds a colon or a comma
  decimal epoch               the same as float, which is exact

Numbers are decimal, of any length, and compared exactly. NaN comes after every
number. time is RFC 3339 or that of SQL: a date, or date and time with a T or a
space between them, and a zone such as Z, +02 or +02:00 or none (UTC then).
Strings are ordered bytewise. A column of text most of whose values are numbers,
times or booleans is named on standard error. For -u, values of a type that -by
does not give tie only if they are written alike, except with -u=value.

Exit codes: 0 done, 1 -c found disorder, 2 the file or the command line is at
fault.

  filesort -t, -k2,2nr -k1,1 -o sorted.txt a.txt b.txt
  filesort -record 100 -key 0:10 -S 1G -o sorted.bin input.bin
  filesort -by 'amount:desc,country' -o sorted.csv data.csv
  filesort -by amount:desc -top 3 -per country data.csv
  filesort -by country,amount -split key -o part-%05d.csv.zst data.csv
  filesort -by id -comment '#' -skip 2 export.csv
  filesort -shuffle -seed 7 -top 1000 -format csv data.csv
  filesort -by user.id,time -top 10 events.ndjson.zst
  filesort -by country,time:desc -o sorted.parquet events.csv
`
