using Faster.Checkpoints;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.OperationLogs;
using Faster.Tests.Fuzzing;
using static Faster.Tests.Checkpoints.CommitRecords;

namespace Faster.Tests.Checkpoints;

/// <summary>A commit's record survives its file, and no other bytes are taken for one.</summary>
public sealed class CommitRecordFileTests
{
    [Fact]
    public void Every_field_survives()
    {
        CommitRecord record = Tiered(12), read = Decode(CommitRecordFile.Encode(record, Owner));
        Assert.Equal(record with { Parts = [], Sessions = [] }, read with { Parts = [], Sessions = [] });
        foreach ((CommittedPart part, CommittedPart copy) in record.Parts.Zip(read.Parts))
        {
            Assert.Equal(part.Marks, copy.Marks);
            Assert.Equal(part with { Log = null, Marks = [] }, copy with { Log = null, Marks = [] });
            if (part.Log is not { } expected)
            {
                Assert.Null(copy.Log);
                continue;
            }

            CommittedLog log = copy.Log!;
            Assert.Equal(expected with { Snapshots = [], Incarnations = [], Discarded = [], Ages = [] },
                log with { Snapshots = [], Incarnations = [], Discarded = [], Ages = [] });
            Assert.Equal(expected.Ages, log.Ages);
            Assert.Equal(expected.Snapshots, log.Snapshots);
            Assert.Equal(expected.Incarnations, log.Incarnations);
            Assert.Equal(expected.Discarded, log.Discarded);
        }

        Assert.Equal(record.Sessions.Select(Text), read.Sessions.Select(Text));
        Assert.True(AreEqual(Least(1), Decode(CommitRecordFile.Encode(Least(1), Owner))));

        static string Text(CommitPoint p) =>
            $"{p.SessionName ?? "(none)"} {p.SerialNumber} {p.Version} {string.Join(',', p.Excluded)}";
    }

    [Fact]
    public void The_bytes_are_those_of_the_page_that_draws_them()
    {
        byte[] bytes = CommitRecordFile.Encode(
            Least(7) with
            {
                Sessions = [new CommitPoint("ab", 9, 7) { Excluded = [8] }], Clock = 77, Previous = 5,
            },
            Owner);
        Assert.Equal("FASTERCM"u8.ToArray(), bytes[..8]);
        Assert.Equal([1, bytes.Length], Int32s(bytes, 8, 2));
        Assert.Equal(Owner, BitConverter.ToUInt64(bytes, 16));
        Assert.Equal(7, BitConverter.ToInt64(bytes, CommitRecordFile.VersionAt));
        Assert.Equal(0, bytes[32]);
        Assert.Equal([77, 5], Int64s(bytes, 33, 2));
        Assert.Equal([1, 8], Int32s(bytes, 49, 2));                         // one part, whose name has four characters:
        Assert.Equal([.. "m\0a\0i\0n\0"u8, 1], bytes[57..66]);             // with a log
        Assert.Equal([64, 1000, 900, 1000], Int64s(bytes, 66, 4));
        Assert.Equal([0, 1], Int32s(bytes, 98, 2));                         // no snapshot, one incarnation:
        Assert.Equal((0, 1), (BitConverter.ToInt64(bytes, 106), BitConverter.ToInt32(bytes, 114)));
        Assert.Equal([0, 0], Int32s(bytes, 118, 2));                        // no discarded range, no age
        Assert.Equal(1, bytes[126]);                                        // an index:
        Assert.Equal(64, BitConverter.ToInt64(bytes, 127));                 // its buckets,
        Assert.Equal([0, 0], bytes[135..137]);                              // no checkpoint; no file
        Assert.Equal([0, 1], Int32s(bytes, 137, 2));                        // no mark; one session:
        Assert.Equal([9, 7], Int64s(bytes, 145, 2));
        Assert.Equal(1, BitConverter.ToInt32(bytes, 161));
        Assert.Equal(8, BitConverter.ToInt64(bytes, 165));
        Assert.Equal([1, 4, 0, 0, 0, .. "a\0b\0"u8], bytes[173..^4]);
    }

    [Fact]
    public void Every_flipped_bit_and_every_truncation_is_found()
    {
        byte[] bytes = CommitRecordFile.Encode(Tiered(12), Owner);
        for (int bit = 0; bit < bytes.Length * 8; bit++)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.Throws<DamagedDataException>(() => Decode(bytes));
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }

        for (int length = 0; length < bytes.Length; length++)
            Assert.Throws<DamagedDataException>(() => Decode(bytes[..length]));
        Assert.Throws<DamagedDataException>(() => Decode([.. bytes, 0]));
    }

    [Fact]
    public void An_impossible_record_is_refused_although_its_checksum_is_right()
    {
        CommitRecord full = Full(12);
        CommitRecord[] wrong = [
            full with { Parts = [] },
            full with { Parts = [full.Parts[0], full.Parts[0]] },
            full.WithPart(static part => part with { Log = null, Index = null }),
            full.WithPart(static part => part with { Marks = [new LogMark(8, 9)] }),
            full.WithPart(static part => part with { Log = null, File = FileOf(12) }),
            full.WithPart(static part => part with { File = new FileReference("store.meta", 1, 4096) }),
            full.WithIndex(static index => index with { Checkpoint = index.Checkpoint! with { StartAddress = 951 } }),
            full.WithLog(static log => log with { BeginAddress = 1001 }),
            full.WithLog(static log => log with { FlushedUntilAddress = 5001 }),
            full.WithLog(static log => log with { StartAddress = 5001 }),
            full with { Clock = CommitRecord.EarliestClock - 1 },
            full with { Clock = long.MaxValue },
            full with { Clock = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds() + 1 },
            full.WithIndex(static index => index with { Checkpoint = index.Checkpoint! with { EndAddress = 5001 } }),
            full.WithIndex(static index => index with
            {
                Checkpoint = index.Checkpoint! with { FileName = "../index.000000000001" },
            }),
            full.WithLog(static log => log with { Snapshots = [new FileReference("store.meta", 1, 4096)] }),
            full.WithLog(static log => log with { Incarnations = [] }),
            full.WithLog(static log => log with { Incarnations = [new Incarnation(8, 1)] }),
            full.WithLog(static log => log with { Incarnations = [new Incarnation(0, 2), new Incarnation(8, 2)] }),
            full.WithLog(static log => log with { Incarnations = [new Incarnation(0, 2), new Incarnation(0, 3)] }),
            full.WithLog(static log => log with { Ages = [new LogAge(5001, default)] }),
            full.WithLog(static log => log with
            {
                Ages = [new LogAge(8, default), new LogAge(8, DateTime.UnixEpoch)],
            }),
            full.WithLog(static log => log with
            {
                Ages = [new LogAge(8, DateTime.UnixEpoch), new LogAge(16, default)],
            }),
            full.WithLog(static log => log with { Discarded = [new DiscardedRange(8, 8, 1)] }),
            full.WithLog(static log => log with
            {
                Discarded = [new DiscardedRange(8, 20, 1), new DiscardedRange(16, 40, 1)],
            })];
        Assert.All(wrong, record => Assert.Throws<ArgumentException>(() => CommitRecordFile.Encode(record, Owner)));
    }

    [Fact]
    public void Excluded_operations_that_do_not_ascend_are_refused()
    {
        const long First = 0x1122334455, Second = 0x1122334466;
        byte[] bytes = CommitRecordFile.Encode(
            Least(7) with { Sessions = [new CommitPoint("ab", Second, 7) { Excluded = [First, Second] }] }, Owner);
        int at = bytes.AsSpan().IndexOf(BitConverter.GetBytes(First));
        Assert.Equal(Second, BitConverter.ToInt64(bytes, at + sizeof(long)));
        BitConverter.TryWriteBytes(bytes.AsSpan(at), Second);
        BitConverter.TryWriteBytes(bytes.AsSpan(at + sizeof(long)), First);
        var error = Assert.Throws<DamagedDataException>(() => Decode(NewChecksums.Metadata(bytes)));
        Assert.Contains("an excluded operation", error.Message, StringComparison.Ordinal);
        Assert.Equal(at + sizeof(long), error.Offset);
    }

    [Fact]
    public void The_latest_clock_and_ages_of_one_moment_are_taken()
    {
        LogAge age = Full(7).Log.Ages[0];
        CommitRecord record = Full(7).WithLog(log => log with { Ages = [age, age with { Address = 1008 }] }) with
        {
            Clock = DateTimeOffset.MaxValue.ToUnixTimeMilliseconds(),
        };
        Assert.True(AreEqual(record, Decode(CommitRecordFile.Encode(record, Owner))));
    }

    [Fact]
    public void Data_after_the_content_is_refused()
    {
        byte[] bytes = CommitRecordFile.Encode(Full(7), Owner);
        byte[] longer = NewChecksums.Metadata([.. bytes, 0]);
        var error = Assert.Throws<DamagedDataException>(() => Decode(longer));
        Assert.Contains("something follows", error.Message, StringComparison.Ordinal);
        Assert.Equal(bytes.Length - 4, error.Offset);
    }

    [Theory]
    [InlineData("")]
    [InlineData("a")]
    [InlineData("loader-12")]
    public void A_named_session_takes_as_many_bytes_as_it_says(string name)
    {
        int before = CommitRecordFile.Encode(Least(7), Owner).Length;
        CommitRecord record = Least(7) with { Sessions = [new CommitPoint(name, 1, 7)] };
        Assert.Equal(before + CommitRecordFile.BytesOf(name), CommitRecordFile.Encode(record, Owner).Length);
    }

    [Fact]
    public void A_record_that_could_not_be_read_again_is_refused_before_and_after_it_is_made()
    {
        CommitRecord record = Least(7) with
        {
            Sessions = [new CommitPoint("ab", 9, 7) { Excluded = [1, 2, 3] }, new CommitPoint(null, 8, 7)],
        };
        byte[] bytes = CommitRecordFile.Encode(record, Owner);
        Assert.Equal(bytes, CommitRecordFile.Encode(record, Owner, most: bytes.Length));
        long sessions = CommitRecordFile.BytesOf("ab") + (3 * sizeof(long)) + CommitRecordFile.BytesOf("");
        foreach (long most in new[] { bytes.Length - 1, sessions, sessions - 1, 0 })
        {
            var error = Assert.Throws<LimitExceededException>(() => CommitRecordFile.Encode(record, Owner, most));
            string had = most < sessions ? $"{sessions:N0} bytes" : $"{bytes.Length:N0} bytes";
            Assert.Contains(had, error.Message, StringComparison.Ordinal);
            Assert.Contains("3 operations", error.Message, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(24, 0x00, "version of 0")]
    [InlineData(32, 0x03, "kind of 3")]
    [InlineData(40, 0x7f, "a time")]
    [InlineData(48, 0x7f, "the version before")]
    [InlineData(52, 0x7f, "number of parts")]
    [InlineData(65, 0x02, "number of logs of 2")]
    [InlineData(73, 0x7f, "address")]
    [InlineData(101, 0x7f, "number of snapshots")]
    [InlineData(126, 0x02, "number of indexes of 2")]
    [InlineData(134, 0x7f, "number of buckets")]
    [InlineData(135, 0x02, "number of index checkpoints of 2")]
    [InlineData(136, 0x02, "number of files of 2")]
    [InlineData(140, 0x7f, "number of marks")]
    [InlineData(144, 0x7f, "number of sessions")]
    public void Unknown_kinds_flags_and_numbers_are_refused_by_name(int at, byte value, string words)
    {
        byte[] bytes = CommitRecordFile.Encode(Least(7), Owner);
        bytes[at] = value;
        RenewChecksum(bytes);
        var error = Assert.Throws<DamagedDataException>(() => Decode(bytes));
        Assert.Contains(words, error.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void A_record_of_another_store_or_version_is_refused_by_name()
    {
        byte[] bytes = CommitRecordFile.Encode(Full(12), Owner + 1);
        string message = Assert.Throws<DamagedDataException>(() => Decode(bytes)).Message;
        Assert.Contains("another store", message, StringComparison.Ordinal);
        bytes[8] = 6;
        message = Assert.Throws<DamagedDataException>(() => Decode(bytes)).Message;
        Assert.Contains("version is 6", message, StringComparison.Ordinal);
        Assert.Contains("reads version 1", message, StringComparison.Ordinal);
    }

    private static void RenewChecksum(byte[] bytes) => _ = NewChecksums.Metadata(bytes);

    private static IEnumerable<int> Int32s(byte[] bytes, int at, int count) =>
        Enumerable.Range(0, count).Select(i => BitConverter.ToInt32(bytes, at + (4 * i)));

    private static IEnumerable<long> Int64s(byte[] bytes, int at, int count) =>
        Enumerable.Range(0, count).Select(i => BitConverter.ToInt64(bytes, at + (8 * i)));

    private static CommitRecord Decode(byte[] bytes) => CommitRecordFile.Decode("commit", bytes, Owner);
}
