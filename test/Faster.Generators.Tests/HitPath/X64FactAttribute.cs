using System.Runtime.InteropServices;

namespace Faster.Generators.Tests.HitPath;

/// <summary>A test that reads x86-64 machine code.</summary>
public sealed class X64FactAttribute : FactAttribute
{
    internal const string Reason = "The listing is read for x86-64 only.";

    /// <summary>Skips the test on other processors.</summary>
    public X64FactAttribute()
    {
        if (RuntimeInformation.ProcessArchitecture != Architecture.X64)
            Skip = Reason;
    }
}

/// <summary>A theory that reads x86-64 machine code.</summary>
public sealed class X64TheoryAttribute : TheoryAttribute
{
    /// <summary>Skips the test on other processors.</summary>
    public X64TheoryAttribute()
    {
        if (RuntimeInformation.ProcessArchitecture != Architecture.X64)
            Skip = X64FactAttribute.Reason;
    }
}
