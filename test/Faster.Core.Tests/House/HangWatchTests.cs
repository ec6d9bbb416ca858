using System.Diagnostics;
using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Faster.Tests.House;

/// <summary>The watch over the tests: a hang, and only a hang, becomes a failed test that shows all threads.</summary>
public sealed class HangWatchTests
{
    private static readonly XunitTest Test = ThisTest();

    [Fact]
    public void A_test_that_does_not_end_fails_with_the_stacks_of_all_threads_and_ends_the_run()
    {
        var seen = new Sink();
        var watch = new HangWatch(seen, TimeSpan.FromTicks(1), NothingLost, StackDump.OfThisProcess);
        Assert.True(watch.OnMessage(new TestAssemblyStarting([], Test.TestCase.TestMethod.TestClass.TestCollection
            .TestAssembly, DateTime.UnixEpoch, "", "")));
        Assert.True(watch.OnMessage(new TestStarting(Test)));
        while (!watch.Look()) Thread.Yield();
        string message = Assert.Single(seen.Messages.OfType<ITestFailed>()).Messages.Single();
        Assert.Contains($"HANG: no end for 0 s. The run was ended in: {Test.DisplayName} (", message,
            StringComparison.Ordinal);
        string frame = $"{nameof(HangWatchTests)}.{nameof(
            A_test_that_does_not_end_fails_with_the_stacks_of_all_threads_and_ends_the_run)}(";
        Assert.True(message.Contains(frame, StringComparison.Ordinal), message);
        Assert.Contains("Asynchronous methods that have not ended:", message, StringComparison.Ordinal);
        Assert.Single(seen.Messages.OfType<ITestFinished>()); // the runner counts no failure without it
        Assert.Equal(1, Assert.Single(seen.Messages.OfType<ITestAssemblyFinished>()).TestsFailed);
        Assert.False(watch.OnMessage(new TestFinished(Test, 0, ""))); // too late
        Assert.Single(seen.Messages.OfType<ITestFinished>());
    }

    [Fact]
    public void A_test_that_has_ended_does_not_hang()
    {
        var seen = new Sink();
        var watch = new HangWatch(seen, TimeSpan.FromDays(1), NothingLost, NoHang);
        watch.OnMessage(new TestStarting(Test));
        Assert.False(watch.Look());
        watch.OnMessage(new TestFinished(Test, 0, ""));
        watch.OnMessage(new TestAssemblyFinished([], Test.TestCase.TestMethod.TestClass.TestCollection.TestAssembly,
            0, 1, 0, 0));
        Assert.True(watch.Look());
        Assert.Equal(3, seen.Messages.Count);
    }

    [Fact]
    public void A_test_from_which_a_busy_machine_has_kept_the_time_does_not_hang()
    {
        TimeSpan lost = TimeSpan.FromHours(1);
        var watch = new HangWatch(new Sink(), TimeSpan.FromTicks(1), () => lost, NoHang);
        watch.OnMessage(new TestStarting(Test));
        lost += TimeSpan.FromHours(2);
        Assert.False(watch.Look());
        watch.OnMessage(new TestFinished(Test, 0, "")); // without a running test there is no hang
        lost += TimeSpan.FromHours(2);
        Assert.False(watch.Look());
    }

    /// <summary>
    /// A test host with two tests that hang, and a short limit; with a larger budget, the limit of every host.
    /// </summary>
    [Fact]
    public async Task A_seeded_hang_is_told_by_name_with_its_stack_within_two_minutes()
    {
        bool isShort = TestBudget.Factor < 2;
        TimeSpan limit = isShort ? TimeSpan.FromSeconds(1) : TestBudget.DefaultHangAfter(1);
        Assert.True(TestBudget.DefaultHangAfter(1) + TestBudget.HangReport <= TimeSpan.FromMinutes(2));
        string tests = typeof(HangWatchTests).Assembly.GetCustomAttributes<AssemblyMetadataAttribute>()
            .Single(static metadata => metadata.Key == "SeededHang").Value!;
        var lost = new LostTime();
        long start = Stopwatch.GetTimestamp();
        using Process host = Process.Start(new ProcessStartInfo("dotnet", ["vstest", tests])
        {
            RedirectStandardOutput = true, RedirectStandardError = true,
            Environment =
            {
                ["FASTER_HANG_AFTER"] = isShort ? "1" : null, ["FASTER_TEST_BUDGET"] = null,
                ["FASTER_TEST_SEED"] = "17+", ["DOTNET_CLI_UI_LANGUAGE"] = "en",
            },
        })!;
        Task<string> errors = host.StandardError.ReadToEndAsync();
        string text = await host.StandardOutput.ReadToEndAsync() + await errors;
        await host.WaitForExitAsync();
        TimeSpan took = Stopwatch.GetElapsedTime(start) - lost.Total();
        Assert.NotEqual(0, host.ExitCode);
        foreach (string part in new[]
        {
            $"HANG: no end for {limit.TotalSeconds:N0} s. The run was ended in: ",
            "SeededHangTests+OnAThread.A_thread_waits_forever (",
            "SeededHangTests+WithoutAThread.A_task_is_awaited_forever (",
            "   Faster.SeededHang.SeededHangTests+OnAThread.A_thread_waits_forever()", // a frame of a stack
            "1 x Faster.SeededHang.SeededHangTests+WithoutAThread+<NeverAsync>", // a method that waits
            "(The seeds of this run: FASTER_TEST_SEED=17+)",
        }) Assert.True(text.Contains(part, StringComparison.Ordinal), $"{part} is not in: {text}");
        Assert.DoesNotContain("A_test_ends (", text, StringComparison.Ordinal);
        Assert.True(took < limit + TestBudget.HangReport, $"It took {took}.");
    }

    private static TimeSpan NothingLost() => TimeSpan.Zero;

    private static string NoHang() => throw new InvalidOperationException("A hang?");

    private static XunitTest ThisTest()
    {
        Type type = typeof(HangWatchTests);
        var assembly = new TestAssembly(Reflector.Wrap(type.Assembly));
        var collection = new TestCollection(assembly, null, "a collection");
        MethodInfo method = type.GetMethod(nameof(A_test_that_has_ended_does_not_hang))!;
        var tested = new TestMethod(new TestClass(collection, Reflector.Wrap(type)), Reflector.Wrap(method));
        var test = new XunitTestCase(
            new NullMessageSink(), TestMethodDisplay.Method, TestMethodDisplayOptions.None, tested);
        return new XunitTest(test, "the test that hangs");
    }

    private sealed class Sink : LongLivedMarshalByRefObject, IMessageSink
    {
        public List<IMessageSinkMessage> Messages { get; } = [];

        public bool OnMessage(IMessageSinkMessage message)
        {
            Messages.Add(message);
            return true;
        }
    }
}
