using System.Diagnostics;
using CountStore.Commands;

namespace CountStore.Tests.Commands;

/// <summary>A full disk is an error; once there is space again the run continues, and its counts are right.</summary>
public sealed class FullDiskTests : IDisposable
{
    private readonly ProgramRun _program = new();

    public void Dispose() => _program.Dispose();

    [SmallDiskTheory]
    [InlineData(Engines.Faster)]
    [InlineData(Engines.Tiered)]
    public async Task A_full_disk_is_an_error_and_with_more_space_the_run_goes_on(string engine)
    {
        string input = _program.File("a.u32", Inputs.Numbers(250_000, 1));
        string disk = Directory.CreateDirectory(_program.PathOf("disk")).FullName;
        string script = $"""
            mount -t tmpfs -o size=1m tmpfs '{disk}' || exit 99
            run() {"{"} "$@" --input '{input}' --format u32le --threads 2 {string.Join(' ', Engines.Args(engine))} \
                --data '{disk}/data' --resume --commit-every 10ms; {"}"}
            run "$@"
            code=$?
            [ $code -eq {ExitCode.Failed} ] || exit 98
            mount -o remount,size=64m '{disk}' || exit 97
            run "$@" --verify
            """;
        using var run = ChildProgram.StartScript("unshare", ["-rm", "sh", "-c"], script);
        (int code, string output, string error) = await run.EndAsync();
        Assert.True(code == ExitCode.Ok, $"exit code {code}: {error}{output}");
        Assert.Contains("the disk is full", error, StringComparison.Ordinal);
        Assert.EndsWith("agrees with a plain dictionary.", output.TrimEnd(), StringComparison.Ordinal);
    }

    /// <summary>Needs a system that lets a process mount a small disk for itself.</summary>
    private sealed class SmallDiskTheoryAttribute : TheoryAttribute
    {
        public SmallDiskTheoryAttribute()
        {
            if (!CanMount()) Skip = "No disk of limited size can be mounted here.";
        }

        private static bool CanMount()
        {
            if (!OperatingSystem.IsLinux()) return false;
            try
            {
                ProcessStartInfo start = new("unshare", ["-rm", "sh", "-c", "mount -t tmpfs tmpfs /mnt"])
                {
                    RedirectStandardError = true,
                };
                using Process probe = Process.Start(start)!;
                probe.WaitForExit();
                return probe.ExitCode == 0;
            }
            catch (System.ComponentModel.Win32Exception)
            {
                return false;
            }
        }
    }
}
