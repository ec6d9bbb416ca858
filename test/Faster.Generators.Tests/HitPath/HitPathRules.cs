using System.Text.RegularExpressions;

namespace Faster.Generators.Tests.HitPath;

/// <summary>
/// Finds what a hit path may not do: call without knowing the target, allocate, call what it need not; and, where it
/// has no guard, throw.
/// </summary>
/// <remarks>
/// Starts at a root and follows direct calls. A method of ours that was never compiled never ran, so it is off the hit
/// path; one that was compiled is on it, unless it is named as cold: set-up runs some of the cold code too.
/// <para>A hit that runs no user code has no guard: an exception would leave its epoch announced forever, and stop
/// commits and evictions with it. So there is no exit by exception in its compiled code but the one that is taken
/// before the epoch is announced. Cold code has guards of its own, or runs when the epoch has been left.</para>
/// </remarks>
internal sealed partial class HitPathRules(IReadOnlyDictionary<string, JitMethod> methods)
{
    /// <summary>What is wrong with the hit path that starts at a root; empty when all is well.</summary>
    /// <param name="root">The start of the root's name, up to the parameter list.</param>
    public IReadOnlyList<string> FindFaults(string root) => Find(root, FaultOf);

    /// <summary>Where the hit path without a guard that starts at a root may throw; empty when nowhere.</summary>
    /// <inheritdoc cref="FindFaults"/>
    public IReadOnlyList<string> FindThrows(string root) => Find(root, ThrowOf);

    private List<string> Find(string root, Func<JitCall, string?> faultOf)
    {
        var faults = new List<string>();
        JitMethod[] starts = [.. methods.Values.Where(
            m => m.Name.StartsWith(root + "(", StringComparison.Ordinal))];
        if (starts.Length != 1)
            return [$"{root} was listed {starts.Length} times instead of once."];

        var seen = new HashSet<string> { starts[0].Name };
        var work = new Queue<JitMethod>(starts);
        while (work.TryDequeue(out JitMethod? method))
        {
            if (!method.IsOptimized)
                faults.Add($"{method.Name} was not optimized, so its listing shows nothing.");
            foreach (JitCall call in method.Calls)
            {
                if (faultOf(call) is { } fault)
                    faults.Add($"{method.Name} {fault}: {call.Text}");
                else if (!Cold().IsMatch(call.Target) && methods.TryGetValue(call.Target, out JitMethod? callee)
                    && seen.Add(call.Target))
                    work.Enqueue(callee);
            }
        }

        return faults;
    }

    private static string? FaultOf(JitCall call)
    {
        if (!call.IsDirect)
            return "calls through a table, delegate or pointer";
        if (call.IsRuntimeHelper)
            return HarmlessHelper().IsMatch(call.Target) ? null : "calls a helper of the runtime";
        return Framework().IsMatch(call.Target) && !HarmlessFramework().IsMatch(call.Target)
            ? "calls into the framework"
            : null;
    }

    private static string? ThrowOf(JitCall call) =>
        Exit().IsMatch(call.Target) && !EarlyExit().IsMatch(call.Target) ? "may throw without a guard" : null;

    /// <summary>Whatever ends in an exception: helpers of the runtime, of the framework and of our own.</summary>
    [GeneratedRegex("^CORINFO_HELP_(RNGCHKFAIL|OVERFLOW|THROW|RETHROW|FAIL_FAST)|:Throw")]
    private static partial Regex Exit();

    /// <summary>What refuses a call before it announces its epoch.</summary>
    [GeneratedRegex(@"^Faster\.Sessions\.SessionMisuse:ThrowInUse\(")]
    private static partial Regex EarlyExit();

    /// <summary>
    /// Our methods that set-up may have run and that no hit runs: what throws or waits, and the long way, which makes
    /// or finds a record elsewhere than in place, and in whatever phase.
    /// </summary>
    [GeneratedRegex(
        @":(Throw|\w*Slow|Execute(Further|Claimed)|TryUnderEpoch|FindInChain|Abandon|DrainAfter"
        + "|LeaveLate)")]
    private static partial Regex Cold();

    /// <summary>Exits by exception, the collector's barriers, and the first touch of a type's statics.</summary>
    [GeneratedRegex(
        "^CORINFO_HELP_(RNGCHKFAIL|OVERFLOW|THROW|RETHROW|FAIL_FAST|POLL_GC|ASSIGN|CHECKED_ASSIGN|GET_.*STATIC_?BASE)")]
    private static partial Regex HarmlessHelper();

    [GeneratedRegex(@"^(System|Microsoft|Interop)\b")]
    private static partial Regex Framework();

    /// <summary>Exits by exception, and the comparison of keys of any length, which has none.</summary>
    [GeneratedRegex(@":Throw\w*\(|^System\.(SpanHelpers|MemoryExtensions):SequenceEqual[\[(]")]
    private static partial Regex HarmlessFramework();
}
