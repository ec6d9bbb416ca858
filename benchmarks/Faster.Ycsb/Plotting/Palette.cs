using System.Text;

namespace Faster.Ycsb.Plotting;

/// <summary>
/// The looks of a figure, for light and for dark pages; no colour is needed to tell dashed lines apart.
/// </summary>
/// <remarks>After the colours of Okabe and Ito, which the colour-blind can tell apart; lighter on dark pages.</remarks>
internal static class Palette
{
    private static readonly string[] OnLight =
        ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#2f9fd8", "#6b4ea0", "#555555"];

    private static readonly string[] OnDark =
        ["#4aa8e0", "#ff8c42", "#2fc79a", "#e59cc4", "#e8c547", "#8fd0f5", "#b39ddb", "#bbbbbb"];

    /// <summary>The class of a colour; colours come round again after the last.</summary>
    public static string ClassOf(int colour) => $"c{colour % OnLight.Length}";

    /// <summary>The style sheet.</summary>
    public static string Css()
    {
        var css = new StringBuilder();
        css.Append("text{font-family:system-ui,-apple-system,'Segoe UI',sans-serif;font-size:12px}");
        css.Append(".title{font-size:15px;font-weight:600}.panel-title{font-weight:600}.label{font-size:10px}");
        css.Append(".line{fill:none;stroke-width:1.6;stroke-linejoin:round}.dashed{stroke-dasharray:5 3}");
        css.Append(".bar,.band,.key{stroke:none}.band{opacity:.13}.whisker{stroke-width:1}");
        css.Append(".moment{stroke-dasharray:2 3}");
        Append(css, OnLight, paper: "#ffffff", ink: "#1f2328", faint: "#d8dee4");
        css.Append("@media (prefers-color-scheme:dark){");
        Append(css, OnDark, paper: "#0d1117", ink: "#e6edf3", faint: "#30363d");
        css.Append('}');
        return css.ToString();
    }

    private static void Append(StringBuilder css, string[] colours, string paper, string ink, string faint)
    {
        css.Append($".paper{{fill:{paper}}}text{{fill:{ink}}}.grid{{stroke:{faint}}}");
        css.Append($".axis,.whisker,.moment{{stroke:{ink}}}");
        for (int i = 0; i < colours.Length; i++)
        {
            string name = ClassOf(i);
            css.Append($".line.{name}{{stroke:{colours[i]}}}.bar.{name},.band.{name},.key.{name}{{fill:{colours[i]}}}");
        }
    }
}
