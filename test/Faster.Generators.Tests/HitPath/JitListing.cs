using System.Text.RegularExpressions;

namespace Faster.Generators.Tests.HitPath;

/// <summary>Reads what the JIT of a release runtime writes under <c>DOTNET_JitDisasm</c> on x86-64.</summary>
/// <remarks>
/// A call whose target is known reads <c>call [Type:Method(…)]</c>, or the same without brackets. A virtual, interface
/// or delegate call goes through a register, <c>call [rax+0x20]Type:Method(…)</c>, and a function pointer is
/// <c>call rax</c>. Calls in tail position are written as jumps with a prefix.
/// </remarks>
internal static partial class JitListing
{
    /// <summary>The methods in a listing, by name.</summary>
    public static IReadOnlyDictionary<string, JitMethod> Parse(IEnumerable<string> lines)
    {
        var methods = new Dictionary<string, JitMethod>();
        var calls = new List<JitCall>();
        var instructions = new List<string>();
        foreach (string line in lines)
        {
            Match header = Header().Match(line);
            if (header.Success)
            {
                calls = [];
                instructions = [];
                string tier = header.Groups["tier"].Value;
                bool optimized = tier.Contains("FullOpts", StringComparison.Ordinal)
                    || tier.Contains("Tier1", StringComparison.Ordinal);
                string name = header.Groups["name"].Value;
                methods[name] = new JitMethod(name, optimized, calls, instructions);
            }
            else if (Instruction().IsMatch(line))
            {
                instructions.Add(line.Trim());
                if (ParseCall(line) is { } call)
                    calls.Add(call);
            }
        }

        return methods;
    }

    /// <summary>Whether no method's listing begins within another one: no two threads have written at a time.</summary>
    public static bool IsWhole(IEnumerable<string> lines)
    {
        bool isInside = false;
        foreach (string line in lines)
        {
            // Wherever it is in the line: what two threads write may share one.
            foreach (Match mark in Mark().Matches(line))
            {
                bool begins = mark.ValueSpan[0] == 'A';
                if (begins == isInside) return false;
                isInside = begins;
            }
        }

        return !isInside;
    }

    /// <summary>Whether an instruction, without the space around it, writes to memory.</summary>
    public static bool IsStore(string instruction) => Store().IsMatch(instruction);

    /// <summary>The call that a line of a listing makes, or null when it makes none.</summary>
    public static JitCall? ParseCall(string line)
    {
        Match match = Call().Match(line);
        if (!match.Success)
            return null;
        string operand = match.Groups["operand"].Value.Trim();
        Match throughMemory = ThroughRegister().Match(operand);
        if (throughMemory.Success)
            return new JitCall(false, throughMemory.Groups["target"].Value, line.Trim());
        Match register = RegisterWithTarget().Match(operand);
        if (register.Success)
            return new JitCall(register.Groups["target"].Success, register.Groups["target"].Value, line.Trim());
        return new JitCall(true, operand.StartsWith('[') ? operand[1..^1] : operand, line.Trim());
    }

    [GeneratedRegex(@"^; Assembly listing for method (?<name>.+) \((?<tier>[^()]+)\)$")]
    private static partial Regex Header();

    [GeneratedRegex("Assembly listing for method|Total bytes of code")]
    private static partial Regex Mark();

    [GeneratedRegex(@"^ +(?!align\b)[a-z][\w.]*( |$)")]
    private static partial Regex Instruction();

    [GeneratedRegex(@"^(push\b|(?!cmp\b|test\b|call\b)\w+ +(\w+ +)?ptr \[)")]
    private static partial Regex Store();

    [GeneratedRegex(@"^\s+(call|(tail|rex)\.jmp)\s+(?<operand>\S.*)$")]
    private static partial Regex Call();

    [GeneratedRegex(@"^\[r([a-z]{2}|\d+)([+*-][^\]]*)?\](?<target>.*)$")]
    private static partial Regex ThroughRegister();

    [GeneratedRegex(@"^r([a-z]{2}|\d+)(\s*;\s*(?<target>\S.*))?$")]
    private static partial Regex RegisterWithTarget();
}
