using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Faster.Tests.House;

/// <summary>The watch over the tests: a hang is a failed test that shows all threads, and nothing else is.</summary>
public sealed class HangWatchTests
{
    private static readonly XunitTest Test = ThisTest();

    [Fact]
    public void A_test_that_does_not_end_fails_with_the_stacks_of_all_threads_and_ends_the_run()
    {
        var seen = new Sink();
        var watch = new HangWatch(seen, TimeSpan.FromTicks(1), StackDump.OfThisProcess);
        Assert.True(watch.OnMessage(new TestAssemblyStarting([], Test.TestCase.TestMethod.TestClass.TestCollection
            .TestAssembly, DateTime.UnixEpoch, "", "")));
        Assert.True(watch.OnMessage(new TestStarting(Test)));
        SpinWait.SpinUntil(watch.Look);
        string message = Assert.Single(seen.Messages.OfType<ITestFailed>()).Messages.Single();
        Assert.Contains($"HANG: no end for 0 s. The run was ended in: {Test.DisplayName} (", message,
            StringComparison.Ordinal);
        Assert.Contains($"{nameof(HangWatchTests)}.{nameof(
            A_test_that_does_not_end_fails_with_the_stacks_of_all_threads_and_ends_the_run)}", message,
            StringComparison.Ordinal);
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
        var watch = new HangWatch(seen, TimeSpan.FromDays(1), () => throw new InvalidOperationException("A hang?"));
        watch.OnMessage(new TestStarting(Test));
        Assert.False(watch.Look());
        watch.OnMessage(new TestFinished(Test, 0, ""));
        watch.OnMessage(new TestAssemblyFinished([], Test.TestCase.TestMethod.TestClass.TestCollection.TestAssembly,
            0, 1, 0, 0));
        Assert.True(watch.Look());
        Assert.Equal(3, seen.Messages.Count);
    }

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
