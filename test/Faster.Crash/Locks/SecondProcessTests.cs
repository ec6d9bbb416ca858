using System.Diagnostics;
using System.Globalization;
using Faster.Crash.Kills;
using Faster.Crash.Workloads;

namespace Faster.Crash.Locks;

/// <summary>
/// Two processes open one folder, with locks of files switched off, refused or unsupported: the second is always
/// refused by name, and what the first acknowledged is there.
/// </summary>
public sealed class SecondProcessTests : IDisposable
{
    // The runtime's own switch, which people set where a file system's locks fail.
    private const string LocksOff = "DOTNET_SYSTEM_IO_DISABLEFILELOCKING";
    private const string Taken = "open already", NoLocks = "can't be locked";

    private readonly string _folder = Path.Combine(AppContext.BaseDirectory, $"lock-{Guid.NewGuid():N}");

    private string Store => Path.Combine(_folder, "store");

    private string Cold => Path.Combine(_folder, "cold");

    public void Dispose() => Directory.Delete(_folder, recursive: true);

    [UnixTheory("the system locks open files itself")]
    [InlineData(true, true)]
    [InlineData(true, false)]
    [InlineData(false, true)]
    public Task Where_the_runtime_locks_no_files_a_second_process_is_refused(bool offInFirst, bool offInSecond) =>
        RefusesAsync(null, offInFirst, () => Start(Store, null, offInSecond), Taken);

    [UnixFact("the system locks open files itself")]
    public Task Nor_gets_another_store_the_cold_folder_of_an_open_one() =>
        RefusesAsync(Cold, off: true, () => Start(Store + "2", Cold, off: true), Taken);

    [LinuxTheory("seccomp")]
    [InlineData(1)]  // EPERM, as sandboxes answer
    [InlineData(37)] // ENOLCK, as a server of files without its lock service does
    [InlineData(0)]  // success, and no lock
    public Task A_process_that_gets_no_locks_is_refused_beside_one_that_has_the_store(int error) =>
        RefusesAsync(null, off: false, () => Start(Store, null, off: true, error), NoLocks);

    [LinuxTheory("seccomp")]
    [InlineData(13)] // EACCES
    [InlineData(22)] // EINVAL
    [InlineData(38)] // ENOSYS
    [InlineData(95)] // ENOTSUP
    [InlineData(0)]
    public async Task Without_locks_no_folder_is_used(int error)
    {
        using Process process = Start(Store, null, off: true, error);
        await AssertRefusedAsync(process, NoLocks);
        Assert.Equal(["store.lock"], Directory.GetFiles(Store).Select(Path.GetFileName));
    }

    private async Task RefusesAsync(string? cold, bool off, Func<Process> startSecond, string why)
    {
        using Process first = Start(Store, cold, off);
        Assert.Equal(LockHolder.Committed, await first.StandardOutput.ReadLineAsync());
        using (Process second = startSecond()) await AssertRefusedAsync(second, why);
        await first.StandardInput.WriteLineAsync();
        Assert.Equal(LockHolder.Committed, await first.StandardOutput.ReadLineAsync());
        await first.WaitForExitAsync();
        await using IWorkStore store = await LockHolder.OpenAsync(Store, cold);
        using IWorkSession session = store.Start(null);
        for (int key = 0; key < 2 * LockHolder.Keys; key++)
            Assert.Equal(BitConverter.GetBytes((long)key), session.Read(key));
    }

    private static async Task AssertRefusedAsync(Process process, string why)
    {
        string told = await process.StandardOutput.ReadLineAsync() ?? await process.StandardError.ReadToEndAsync();
        process.StandardInput.Close(); // if it was not refused, it ends now
        await process.WaitForExitAsync();
        Assert.StartsWith(LockHolder.Refused, told, StringComparison.Ordinal);
        Assert.Contains(why, told, StringComparison.Ordinal);
    }

    private static Process Start(string folder, string? cold, bool off, int? error = null)
    {
        string[] arguments = ["exec", KilledProgram.Path, LockHolder.Name, folder, cold ?? "-", "0"];
        if (error is { } number) arguments = [.. arguments, number.ToString(CultureInfo.InvariantCulture)];
        return Process.Start(new ProcessStartInfo("dotnet", arguments)
        {
            RedirectStandardInput = true, RedirectStandardOutput = true, RedirectStandardError = true,
            Environment = { [LocksOff] = off ? "1" : "0" },
        })!;
    }
}
