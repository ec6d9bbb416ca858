namespace WebApi.Tests;

/// <summary>A test that needs the browser Chromium as Debian installs it.</summary>
[AttributeUsage(AttributeTargets.Method)]
public sealed class BrowserFactAttribute : FactAttribute
{
    public const string Browser = "/usr/bin/chromium";

    public BrowserFactAttribute()
    {
        if (!File.Exists(Browser)) Skip = $"There is no {Browser}: install Debian's package chromium.";
    }
}
