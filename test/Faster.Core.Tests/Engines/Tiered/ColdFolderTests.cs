using Faster.Contracts;
using Faster.Engines.Tiered;
using Faster.Tests.Devices.Folders;
using static Faster.Tests.Operations.CounterOperations;

namespace Faster.Tests.Engines.Tiered;

/// <summary>
/// Stores whose cold tier lies in another folder: what lies where, and what is refused when the folder is not the
/// store's, or not of its moment.
/// </summary>
public sealed class ColdFolderTests : IDisposable
{
    private const int Keys = 4000;

    private readonly TemporaryFolder _folder = new();

    private string Main => Path.Combine(_folder.Path, "main");

    private string Cold => Path.Combine(_folder.Path, "cold");

    private TieredOptions Apart => Together with { ColdFolder = Cold };

    private static TieredOptions Together => new()
    {
        MemoryBudget = ByteSize.MiB(2), HotLogSize = ByteSize.KiB(256), ExpectedColdKeys = 10_000,
        SegmentSize = ByteSize.KiB(64), CommitOnDispose = false,
    };

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task The_logs_of_the_cold_tier_lie_there_and_all_is_recovered()
    {
        for (int round = 1; round <= 3; round++)
        {
            await using TieredStore store = await OpenAsync(Apart);
            using TieredSession session = store.StartSession("client");
            if (round > 1) CheckAll(session, round - 1);
            await RoundAsync(store, session, round);
        }

        Assert.Empty(Files(Main, "cold.*", "chunks.*"));
        string[] there = Files(Cold, "*");
        Assert.Contains(there, static name => name.StartsWith("chunks.0", StringComparison.Ordinal));
        Assert.Contains(there, static name => name.StartsWith("cold.0", StringComparison.Ordinal));
        Assert.Equal(
            ["cold.meta", "store.lock"],
            there.Where(static name => !name.StartsWith("cold.0", StringComparison.Ordinal)
                && !name.StartsWith("chunks.", StringComparison.Ordinal)));
    }

    [Fact]
    public async Task Both_folders_may_move()
    {
        await MakeAsync(Apart, rounds: 2);
        Directory.Move(Main, Main + "2");
        Directory.Move(Cold, Cold + "2");
        await using TieredStore store = await TieredStore.OpenAsync(
            Main + "2", Apart with { ColdFolder = Cold + "2" }, Schema, default);
        using TieredSession session = store.StartSession("client");
        CheckAll(session, 2);
    }

    [Fact]
    public async Task A_cold_tier_is_where_it_was_made()
    {
        await MakeAsync(Apart);
        await AssertRefusedAsync(Together, Main, $"'{Cold}' when the store was made");
        Directory.Delete(Main, recursive: true);
        Directory.Delete(Cold, recursive: true);
        await MakeAsync(Together);
        await AssertRefusedAsync(Apart, Main, Cold, "in its own folder");
        Assert.False(Directory.Exists(Cold));
    }

    [Theory]
    [InlineData(false, "does not exist")]
    [InlineData(true, "has no file 'cold.meta'")]
    public async Task A_missing_folder_is_named_beside_the_stores(bool exists, string why)
    {
        await MakeAsync(Apart);
        string moved = Cold + "2";
        Directory.Move(Cold, moved);
        if (exists) Directory.CreateDirectory(Cold);
        await AssertRefusedAsync(Apart, Main, Cold, why);
        Assert.Equal(exists, Directory.Exists(Cold));
        await CheckAsync(Apart with { ColdFolder = moved }, 1);
    }

    [Fact]
    public async Task The_folder_of_another_store_is_refused_and_unchanged()
    {
        await MakeAsync(Apart);
        string other = Path.Combine(_folder.Path, "other");
        string[] before = Files(Cold, "*");

        // A new store, and one with commits.
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => OpenAsync(Apart, other));
        Assert.Contains($"'{Cold}' holds the cold tier of another store, made in '{Main}'", error.Message);
        Assert.Contains($"not of the one in '{other}'", error.Message);
        TieredOptions others = Apart with { ColdFolder = Cold + "2" };
        await MakeAsync(others, other);
        await Assert.ThrowsAsync<StoreOpenException>(() => OpenAsync(Apart, other));
        await Assert.ThrowsAsync<StoreOpenException>(() => OpenAsync(others));

        Assert.Equal(before, Files(Cold, "*"));
        await CheckAsync(Apart, 1);
    }

    [Theory]
    [InlineData("notes.txt")]
    [InlineData("cold.000000000000")] // the mark comes first, so it is nobody's
    [InlineData("store.meta")]
    public async Task A_new_cold_tier_gets_an_empty_folder(string file)
    {
        Directory.CreateDirectory(Cold);
        File.WriteAllText(Path.Combine(Cold, file), "x");
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => OpenAsync(Apart));
        Assert.Contains($"'{Cold}' holds no cold tier, and is not empty", error.Message);
        Assert.Equal([file], Files(Cold, "*"));
    }

    [Fact]
    public async Task One_store_at_a_time_has_the_folder()
    {
        await using TieredStore store = await OpenAsync(Apart);
        var error = await Assert.ThrowsAsync<StoreOpenException>(
            () => OpenAsync(Apart, Path.Combine(_folder.Path, "other")));
        Assert.Contains($"'{Cold}' is open already", error.Message);
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task A_folder_that_is_older_than_the_other_is_damage_that_names_both(bool isColdOlder)
    {
        await MakeAsync(Apart, rounds: 2);
        string[] folders = isColdOlder ? [Cold, Main] : [Main, Cold];
        CopyFolder(folders[0], folders[0] + ".old");
        await using (TieredStore store = await OpenAsync(Apart))
        {
            using TieredSession session = store.StartSession("client");
            for (int round = 3; round <= 8; round++) await RoundAsync(store, session, round);
        }

        Directory.Delete(folders[0], recursive: true);
        Directory.Move(folders[0] + ".old", folders[0]);
        var error = await Assert.ThrowsAsync<DamagedDataException>(() => OpenAsync(Apart));
        Assert.Contains($"the cold tier in '{Cold}' of the store in '{Main}'", error.Message);
        Assert.StartsWith(Cold, error.Path);
    }

    [Fact]
    public async Task A_change_of_any_bit_of_the_mark_is_detected()
    {
        await MakeAsync(Apart);
        string path = Path.Combine(Cold, "cold.meta");
        byte[] bytes = File.ReadAllBytes(path);
        for (int bit = 0; bit < bytes.Length * 8; bit += 5)
        {
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
            File.WriteAllBytes(path, bytes);
            var error = await Assert.ThrowsAsync<DamagedDataException>(() => OpenAsync(Apart));
            Assert.Equal(path, error.Path);
            bytes[bit / 8] ^= (byte)(1 << (bit % 8));
        }

        File.WriteAllBytes(path, bytes);
        await CheckAsync(Apart, 1);
    }

    [Fact]
    public async Task A_store_without_a_commit_begins_empty_in_an_empty_folder()
    {
        await (await OpenAsync(Apart)).DisposeAsync();
        Directory.Delete(Cold, recursive: true); // a crash may have left the store's metadata alone
        await MakeAsync(Apart);
        await CheckAsync(Apart, 1);
    }

    [UnixFact("Windows keeps an open folder in place")]
    public async Task No_commit_succeeds_when_the_folder_was_replaced()
    {
        await using TieredStore store = await OpenAsync(Apart);
        using TieredSession session = store.StartSession("client");
        await RoundAsync(store, session, 1);
        Directory.Move(Cold, Cold + "2");
        Directory.CreateDirectory(Cold);
        File.WriteAllBytes(Path.Combine(Cold, "store.lock"), []);
        session.Put(1, 2);
        var error = await Assert.ThrowsAsync<StorageException>(() => store.CommitAsync());
        Assert.Contains($"'{Cold}' is not the one that the store opened", error.Message);
    }

    [Fact]
    public async Task Options_that_exclude_each_other_are_refused()
    {
        await AssertRefusedAsync(Apart with { ColdFolder = Main + Path.DirectorySeparatorChar }, "own folder", Main);
        using var device = new Faster.Devices.MemoryDevice();
        await AssertRefusedAsync(Apart with { ColdDevice = device }, "ColdFolder can't be honored");
        await AssertRefusedAsync(Apart with { ColdIndexDevice = device }, "ColdFolder can't be honored");
        var error = await Assert.ThrowsAsync<StoreOpenException>(
            () => TieredStore.OpenAsync(null, Apart, Schema, default).AsTask());
        Assert.Contains("the path is null", error.Message);
        Assert.False(Directory.Exists(Cold));
    }

    private static string[] Files(string folder, params string[] patterns) =>
        [.. patterns.SelectMany(pattern => Directory.GetFiles(folder, pattern))
            .Select(path => Path.GetFileName(path)).Order(StringComparer.Ordinal)];

    private static void CopyFolder(string from, string to)
    {
        Directory.CreateDirectory(to);
        foreach (string path in Directory.GetFiles(from)) File.Copy(path, Path.Combine(to, Path.GetFileName(path)));
    }

    // Every key gets a new value, moves to the cold log, and moves within it; then two commits free what was truncated.
    private static async Task RoundAsync(TieredStore store, TieredSession session, long value)
    {
        for (long key = 0; key < Keys; key++) session.Put(key, (key * 10) + value);
        _ = await store.CompactHotAsync(store.Hot.Log.TailAddress);
        _ = await store.CompactColdAsync(store.Cold.Log.HeadAddress);
        _ = await store.CommitAsync();
        session.Put(0, value);
        _ = await store.CommitAsync();
    }

    private static void CheckAll(TieredSession session, long value)
    {
        for (long key = 0; key < Keys; key++)
            Assert.Equal((Status.Ok, key == 0 ? value : (key * 10) + value), ReadToEnd(session, key));
    }

    private async Task MakeAsync(TieredOptions options, string? main = null, int rounds = 1)
    {
        await using TieredStore store = await OpenAsync(options, main);
        using TieredSession session = store.StartSession("client");
        for (int round = 1; round <= rounds; round++) await RoundAsync(store, session, round);
    }

    private async Task CheckAsync(TieredOptions options, long value)
    {
        await using TieredStore store = await OpenAsync(options);
        using TieredSession session = store.StartSession("client");
        CheckAll(session, value);
    }

    private async Task AssertRefusedAsync(TieredOptions options, params string[] parts)
    {
        var error = await Assert.ThrowsAsync<StoreOpenException>(() => OpenAsync(options));
        foreach (string part in parts) Assert.Contains(part, error.Message, StringComparison.Ordinal);
    }

    private Task<TieredStore> OpenAsync(TieredOptions options, string? main = null) =>
        TieredStore.OpenAsync(main ?? Main, options, Schema, default).AsTask();
}
