using System.Reflection;
using Xunit.Abstractions;
using Xunit.Sdk;

namespace Faster.Testing;

/// <summary>xUnit's own framework, under a <see cref="HangWatch"/>, with <see cref="SeedNotes"/>.</summary>
/// <remarks>Named by test/Directory.Build.targets in an attribute of each test assembly.</remarks>
public sealed class WatchedFramework(IMessageSink diagnostics) : XunitTestFramework(diagnostics)
{
    /// <inheritdoc/>
    protected override ITestFrameworkExecutor CreateExecutor(AssemblyName assemblyName) =>
        new Executor(assemblyName, SourceInformationProvider, DiagnosticMessageSink);

    private sealed class Executor(AssemblyName name, ISourceInformationProvider source, IMessageSink diagnostics)
        : XunitTestFrameworkExecutor(name, source, diagnostics)
    {
        protected override void RunTestCases(
            IEnumerable<IXunitTestCase> testCases, IMessageSink executionMessageSink,
            ITestFrameworkExecutionOptions executionOptions)
        {
            var watch = new HangWatch(
                new SeedNotes(executionMessageSink), TestBudget.HangAfter, new LostTime().Total,
                StackDump.OfThisProcess);
            watch.Start();
            base.RunTestCases(testCases, watch, executionOptions);
        }
    }
}
