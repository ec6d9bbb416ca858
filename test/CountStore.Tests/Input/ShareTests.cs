using System.Text;
using CountStore.Input;
using CountStore.Tests.Commands;

namespace CountStore.Tests.Input;

/// <summary>Fixed shares together are the input, and each is the same whichever reader is faster.</summary>
public sealed class ShareTests : IDisposable
{
    private readonly ProgramRun _files = new();

    public void Dispose() => _files.Dispose();

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public async Task Shares_of_a_file_do_not_depend_on_which_thread_is_faster(int shares)
    {
        string path = _files.File("a.txt", Inputs.Lines(50_000, 1));
        List<string>[] first = await ReadAsync(() => new FileInput(path, InputFormat.Lines), shares, slow: 0);
        List<string>[] second = await ReadAsync(() => new FileInput(path, InputFormat.Lines), shares, slow: shares - 1);
        Assert.Equal(first, second);
        Assert.All(first, share => Assert.NotEmpty(share));
        Assert.Equal(File.ReadAllLines(path).Order(), first.SelectMany(share => share).Order());
    }

    [Fact]
    public async Task Shares_of_a_set_of_files_are_whole_files_of_about_the_same_size()
    {
        FileInfo[] files = [.. Enumerable.Range(1, 7).Select(
            n => new FileInfo(_files.File($"{n}.txt", Encoding.ASCII.GetBytes($"{n}\n".PadLeft(n * 100, '-')))))];
        IInput Open() => new FileSetInput("set", InputFormat.Lines, files);
        List<string>[] shares = await ReadAsync(Open, 3, slow: 0);
        Assert.Equal(shares, await ReadAsync(Open, 3, slow: 1));
        string[][] expected = [["7", "2", "1"], ["6", "3"], ["5", "4"]];
        Assert.Equal(expected, shares.Select(share => share.Select(line => line[^1..]).ToArray()));
    }

    [Fact]
    public async Task A_wait_for_a_turn_can_be_stopped()
    {
        using FileInput input = new(_files.File("a.txt", Inputs.Lines(100, 1)), InputFormat.Lines);
        using CancellationTokenSource stop = new();
        using IKeyReader second = input.OpenShare(1, 2, stop.Token);
        Task waiting = Task.Run(() => second.TryRead(new KeyBatch()));
        await stop.CancelAsync();
        await Assert.ThrowsAnyAsync<OperationCanceledException>(() => waiting);
    }

    [Fact]
    public void A_changed_file_has_another_fingerprint()
    {
        string path = _files.File("a.txt", [1, 2, 3, 4]);
        using FileInput input = new(path, InputFormat.U32LittleEndian);
        using FileInput again = new(path, InputFormat.U32LittleEndian);
        Assert.Equal(input.Fingerprint, again.Fingerprint);
        File.SetLastWriteTimeUtc(path, new DateTime(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc));
        using FileInput changed = new(path, InputFormat.U32LittleEndian);
        Assert.NotEqual(input.Fingerprint, changed.Fingerprint);
    }

    private static async Task<List<string>[]> ReadAsync(Func<IInput> open, int shares, int slow)
    {
        using IInput input = open();
        List<string>[] keys = [.. Enumerable.Range(0, shares).Select(_ => new List<string>())];
        await Task.WhenAll(Enumerable.Range(0, shares).Select(share => Task.Factory.StartNew(
            () =>
            {
                using IKeyReader reader = input.OpenShare(share, shares, CancellationToken.None);
                KeyBatch batch = new();
                while (reader.TryRead(batch))
                {
                    if (share == slow) Thread.Yield();
                    for (int key = 0; key < batch.Count; key++) keys[share].Add(Encoding.ASCII.GetString(batch[key]));
                }
            },
            TaskCreationOptions.LongRunning)));
        return keys;
    }
}
