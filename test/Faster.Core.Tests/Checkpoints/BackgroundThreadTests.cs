using System.Globalization;
using Faster.Checkpoints;

namespace Faster.Tests.Checkpoints;

/// <summary>Work on a thread of lower priority.</summary>
public sealed class BackgroundThreadTests
{
    [Fact]
    public async Task Work_runs_on_a_thread_of_its_own_and_its_result_comes_back()
    {
        Thread thread = await BackgroundThread.Run("work", () => Thread.CurrentThread);
        Assert.Equal("work", thread.Name);
        Assert.False(thread.IsThreadPoolThread);
        Assert.True(thread.IsBackground);
    }

    [Fact]
    public async Task The_exception_of_the_work_comes_back()
    {
        var thrown = new InvalidOperationException("of the work");
        Exception? caught = await Record.ExceptionAsync(() => BackgroundThread.Run<int>("work", () => throw thrown));
        Assert.Same(thrown, caught);
    }

    [Fact]
    public async Task On_Linux_the_system_gives_less_time_to_it_and_to_the_threads_that_it_starts()
    {
        if (!OperatingSystem.IsLinux()) return;
        int before = Niceness(), inside = 0, further = 0;
        _ = await BackgroundThread.Run("work", () =>
        {
            inside = Niceness();
            var started = new Thread(() => further = Niceness());
            started.Start();
            started.Join();
            return 0;
        });
        int expected = Math.Min(before + BackgroundThread.Niceness, 19);
        Assert.Equal((expected, expected, before), (inside, further, Niceness()));
    }

    // Of the calling thread: the fields after the name, which may hold spaces, begin behind its bracket.
    private static int Niceness()
    {
        string stat = File.ReadAllText("/proc/thread-self/stat");
        string[] fields = stat[(stat.LastIndexOf(')') + 2)..].Split(' ');
        return int.Parse(fields[16], CultureInfo.InvariantCulture);
    }
}
