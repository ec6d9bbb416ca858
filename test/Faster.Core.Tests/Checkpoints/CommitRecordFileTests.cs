using Faster.Checkpoints;
using Faster.Devices.Blocks;
using Faster.Log;
using Faster.Tests.Fuzzing;
using static Faster.Tests.Checkpoints.CommitRecords;

namespace Faster.Tests.Checkpoints;

/// <summary>A commit's record survives its file, and no other bytes are taken for one.</summary>
public sealed class CommitRecordFileTests
{
    [Fact]
    public void Every_field_survives()
    {
        CommitRecord record = Full(12) with
        {
            Logs = [Full(12).Log, Least(12).Log with { Name = "cold" }],
            Indexes = [Full(12).Index, new CommittedIndex { Name = "cold", BucketCount = 128 }],
        };
        CommitRecord read = Decode(CommitRecordFile.Encode(record, Owner));
        Assert.Equal(record with { Logs = [], Indexes = [], Sessions = [] },
            read with { Logs = [], Indexes = [], Sessions = [] });
        Assert.Equal(record.Indexes, read.Indexes);
        foreach ((CommittedLog expected, CommittedLog log) in record.Logs.Zip(read.Logs))
        {
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
        Assert.Equal([5, bytes.Length], Int32s(bytes, 8, 2));
        Assert.Equal(Owner, BitConverter.ToUInt64(bytes, 16));
        Assert.Equal(7, BitConverter.ToInt64(bytes, CommitRecordFile.VersionAt));
        Assert.Equal([0, 0, 0, 0], bytes[32..36]);
        Assert.Equal(77, BitConverter.ToInt64(bytes, 36));
        Assert.Equal(5, BitConverter.ToInt64(bytes, 44));
        Assert.Equal([1, 8], Int32s(bytes, 52, 2));                         // one log, whose name has four characters:
        Assert.Equal([.. "m\0a\0i\0n\0"u8], bytes[60..68]);
        Assert.Equal([64, 1000, 900, 1000], Int64s(bytes, 68, 4));
        Assert.Equal([0, 1], Int32s(bytes, 100, 2));                        // no snapshot, one incarnation:
        Assert.Equal((0, 1), (BitConverter.ToInt64(bytes, 108), BitConverter.ToInt32(bytes, 116)));
        Assert.Equal([0, 0, 1, 8], Int32s(bytes, 120, 4));                  // no discarded range, no age; one index:
        Assert.Equal([.. "m\0a\0i\0n\0"u8], bytes[136..144]);
        Assert.Equal(64, BitConverter.ToInt64(bytes, 144));                 // its buckets,
        Assert.Equal(0, bytes[152]);                                        // and no checkpoint
        Assert.Equal(1, BitConverter.ToInt32(bytes, 153));                  // one session:
        Assert.Equal(1, bytes[157]);
        Assert.Equal([9, 7], Int64s(bytes, 158, 2));
        Assert.Equal(1, BitConverter.ToInt32(bytes, 174));
        Assert.Equal(8, BitConverter.ToInt64(bytes, 178));
        Assert.Equal([4, 0, 0, 0, .. "a\0b\0"u8], bytes[186..^4]);
    }

    [Fact]
    public void A_record_of_an_earlier_version_is_read_and_lacks_what_that_has_not()
    {
        Assert.True(AreEqual(Full(7), Decode(OldCommitRecords.Encode(Full(7), Owner, 3))));
        Assert.True(AreEqual(Least(7), Decode(OldCommitRecords.Encode(Least(7), Owner, 3))));
        CommitRecord second = Full(7) with { Clock = CommitRecord.EarliestClock };
        Assert.True(AreEqual(second, Decode(OldCommitRecords.Encode(Full(7), Owner, 2))));
        CommitRecord first = second.WithLog(static log => log with { Ages = [] });
        Assert.True(AreEqual(first, Decode(OldCommitRecords.Encode(Full(7), Owner, 1))));
        Assert.True(AreEqual(Full(7), Decode(OldCommitRecords.Encode(Full(7) with { Previous = 6 }, Owner, 4))));
        byte[] next = OldCommitRecords.Encode(Full(7), Owner, 6);
        DamagedDataException refused = Assert.Throws<DamagedDataException>(() => Decode(next));
        Assert.Contains("is 6; this library reads versions 1 to 5", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Every_flipped_bit_and_every_truncation_is_found()
    {
        byte[] bytes = CommitRecordFile.Encode(Full(12), Owner);
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
    public void What_no_commit_can_be_is_refused_though_its_checksum_is_right()
    {
        CommitRecord full = Full(12);
        CommitRecord[] wrong = [
            full with { Logs = [], Indexes = [] },
            full with { Logs = [full.Log, full.Log] },
            full with { Indexes = [full.Index, full.Index] },
            full.WithIndex(static index => index with { Name = "cold" }),
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
            full.WithLog(static log => log with { Snapshots = [new SnapshotReference("store.meta", 1, 4096)] }),
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
    public void What_follows_the_content_is_refused()
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
    [InlineData(33, 0x02, "flags of 2")]
    [InlineData(34, 0x01, "reserved")]
    [InlineData(43, 0x7f, "a time")]
    [InlineData(51, 0x7f, "the version before")]
    [InlineData(55, 0x7f, "number of logs")]
    [InlineData(75, 0x7f, "address")]
    [InlineData(103, 0x7f, "number of snapshots")]
    [InlineData(131, 0x7f, "number of indexes")]
    [InlineData(151, 0x7f, "number of buckets")]
    [InlineData(152, 0x02, "flags of 2")]
    [InlineData(156, 0x7f, "number of sessions")]
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
        Assert.Contains("versions 1 to 5", message, StringComparison.Ordinal);
    }

    private static void RenewChecksum(byte[] bytes) => _ = NewChecksums.Metadata(bytes);

    private static IEnumerable<int> Int32s(byte[] bytes, int at, int count) =>
        Enumerable.Range(0, count).Select(i => BitConverter.ToInt32(bytes, at + (4 * i)));

    private static IEnumerable<long> Int64s(byte[] bytes, int at, int count) =>
        Enumerable.Range(0, count).Select(i => BitConverter.ToInt64(bytes, at + (8 * i)));

    private static CommitRecord Decode(byte[] bytes) => CommitRecordFile.Decode("commit", bytes, Owner);
}
