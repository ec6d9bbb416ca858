using Faster.Contracts;
using Faster.Engines;
using Faster.Tests.Devices.Folders;
using Faster.Tests.Engines;
using Faster.Tests.Operations;

namespace Faster.Tests.Faults;

/// <summary>A block of the log is damaged on disk while the store is open.</summary>
public sealed class DamagedLogTests
{
    private const int Keys = 80_000;

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public Task Operations_on_its_keys_fail_and_name_file_and_offset_others_work(bool unbuffered) =>
        Guard.RunAsync(async () =>
        {
            using var folder = new TemporaryFolder();
            await using FasterStore store = await FasterStore.OpenAsync(
                folder.Path, Options(unbuffered), CounterOperations.Schema, default);
            await using FasterSession session = store.StartSession();
            for (int key = 0; key < Keys; key++) session.Put(key, key * 3L);

            string file = Directory.GetFiles(folder.Path, "log.*").Order().ElementAt(1);
            const int block = 4; // the segment's third page begins far behind it
            long at = (block * 512) + 100;
            Flip(file, at);

            var damaged = new List<int>();
            for (int key = 0; key < Keys; key += key < 8_000 ? 1 : 101) // the second segment's keys are among the first
            {
                try
                {
                    Assert.Equal(key * 3L, session.Get(key));
                }
                catch (DamagedDataException e)
                {
                    Assert.Equal(file, e.Path);
                    Assert.Equal(block * 512, e.Offset);
                    Assert.Contains(file, e.Message, StringComparison.Ordinal);
                    damaged.Add(key);
                }
            }

            Assert.InRange(damaged.Count, 15, 25); // those that a block of 508 bytes holds or touches
            int one = damaged[5];
            await Assert.ThrowsAsync<DamagedDataException>(() => session.GetAsync(one).AsTask());
            await Assert.ThrowsAsync<DamagedDataException>(() => session.AddAsync(one, 1).AsTask());
            session.Put(one, 7); // a blind update needs nothing of what was there
            Assert.Equal(7, session.Get(one));

            Flip(file, at); // as it was
            foreach (int key in damaged.Where(key => key != one)) Assert.Equal(key * 3L, session.Get(key));
        });

    [Fact]
    public Task A_segment_that_is_cut_or_gone_is_a_typed_error() => Guard.RunAsync(async () =>
    {
        using var folder = new TemporaryFolder();
        await using FasterStore store = await FasterStore.OpenAsync(
            folder.Path, Options(unbuffered: true), CounterOperations.Schema, default);
        await using FasterSession session = store.StartSession();
        for (int key = 0; key < Keys; key++) session.Put(key, key * 3L);
        string file = Directory.GetFiles(folder.Path, "log.*").Order().First();
        using (var cut = new FileStream(file, FileMode.Open, FileAccess.Write, FileShare.ReadWrite)) cut.SetLength(0);
        var error = Assert.ThrowsAny<FasterException>(() => session.Get(0));
        Assert.Contains(file, error.Message, StringComparison.Ordinal);
        Assert.Equal((Keys - 1) * 3L, session.Get(Keys - 1));
    });

    private static StoreOptions Options(bool unbuffered) => new()
    {
        MemoryBudget = ByteSize.MiB(1), PageSize = ByteSize.KiB(8), ExpectedKeys = 20_000,
        SegmentSize = ByteSize.KiB(128), UnbufferedIO = unbuffered,
    };

    private static void Flip(string file, long at)
    {
        using var stream = new FileStream(
            file, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, bufferSize: 0);
        stream.Position = at;
        int value = stream.ReadByte();
        stream.Position = at;
        stream.WriteByte((byte)(value ^ 0x10));
        stream.Flush(flushToDisk: true);
    }
}
